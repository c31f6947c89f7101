package io.rdma.engine;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - Slots are taken in order by the thread that drains the send queue, and retired in the same order by the loop.
// - posted - retired requests are in the device. A slot is written again only by who saw the count that retired it, so
// stores by lazySet are enough, which wait for no others (a volatile one costs as much as an atomic instruction).

/**
 * What a send queue has in the device, oldest first: a slot for each work request, with the operation it belongs to.
 */
final class PostedRing {
    private static final AtomicLongFieldUpdater<PostedRing> POSTED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "posted");
    private static final AtomicLongFieldUpdater<PostedRing> RETIRED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "retired");
    private static final AtomicIntegerFieldUpdater<PostedRing> RETIRED_READS =
            AtomicIntegerFieldUpdater.newUpdater(PostedRing.class, "retiredReads");

    private final int depth;
    private final AtomicReferenceArray<@Nullable Operation> slots;
    private int postSlot; // (drainer)
    private long taken; // (drainer) since the start, without those that were not to be posted
    private int postedReads; // (drainer)
    private volatile long posted; // (drainer) writes
    private int retireSlot; // (loop)
    private volatile long retired; // (loop) writes
    private volatile int retiredReads; // (loop) writes

    PostedRing(int depth) {
        this.depth = depth;
        slots = new AtomicReferenceArray<>(depth);
    }

    int depth() {
        return depth;
    }

    /** Requests that are posted and not retired. Any thread. */
    long inFlight() {
        return posted - retired;
    }

    /** Requests that were retired since the start. Any thread. */
    long retired() {
        return retired;
    }

    /** Reads and atomics that were taken and not retired. Drainer. */
    int readsInFlight() {
        return postedReads - retiredReads;
    }

    /** The slot of the next request. Drainer. */
    int take() {
        int slot = postSlot;
        postSlot = slot + 1 == depth ? 0 : slot + 1;
        taken++;
        return slot;
    }

    /** What the completion of a slot ends. Drainer. */
    void put(int slot, Operation operation, boolean read) {
        slots.setRelease(slot, operation);
        if (read) {
            postedReads++;
        }
    }

    /** The request that was taken last is not to be posted. Drainer. */
    void untake(boolean read) {
        postSlot = (postSlot == 0 ? depth : postSlot) - 1;
        taken--;
        slots.setRelease(postSlot, null);
        if (read) {
            postedReads--;
        }
    }

    /**
     * All that were taken go to the device: before the post, since a completion may be polled before it returns. What a
     * post that threw did not give to the device ends with the queue pair. Drainer.
     */
    void posted() {
        POSTED.lazySet(this, taken);
    }

    /**
     * The request that was taken last was not posted after all. Drainer.
     *
     * @return null if it was a control frame
     */
    @Nullable
    Operation takeBack() {
        Operation operation = slots.getPlain((postSlot == 0 ? depth : postSlot) - 1);
        untake(operation != null && operation.request().opcode().isReadOrAtomic());
        POSTED.lazySet(this, posted - 1);
        return operation;
    }

    /** The slot that completes next. Loop. */
    int oldest() {
        return retireSlot;
    }

    /** What a slot holds: null if it is a control frame. Loop. */
    @Nullable
    Operation at(int slot) {
        return slots.getAcquire(slot);
    }

    /**
     * The ends of all requests up to that slot are known: operations hear of it, and one fence stands behind all of
     * them. Loop.
     */
    void endingUpTo(int last) {
        for (int slot = retireSlot; ; slot = slot + 1 == depth ? 0 : slot + 1) {
            Operation operation = slots.getAcquire(slot);
            if (operation != null) {
                operation.ending();
            }
            if (slot == last) {
                break;
            }
        }
        VarHandle.fullFence();
    }

    /**
     * The oldest request, of an operation or of none, is done: its slot, and the result there, may be overwritten.
     * Loop.
     */
    void retire(@Nullable Operation operation) {
        int slot = retireSlot;
        retireSlot = slot + 1 == depth ? 0 : slot + 1;
        if (operation != null) {
            slots.setRelease(slot, null);
            if (operation.request().opcode().isReadOrAtomic()) {
                RETIRED_READS.lazySet(this, retiredReads + 1);
            }
        }
        RETIRED.lazySet(this, retired + 1);
    }
}
