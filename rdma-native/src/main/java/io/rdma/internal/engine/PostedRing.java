package io.rdma.internal.engine;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - The poster of the send queue takes slots in order; the loop retires them in the same order.
// - posted - retired requests are in the device. The poster writes a slot again only after it read the count that
// retired the slot. So lazySet is enough; it does not wait for other stores, while a volatile store costs as much as an
// atomic instruction.

/** Ring of the posted work requests of a send queue, oldest first. Each slot holds the operation of its request. */
final class PostedRing {
    private static final AtomicLongFieldUpdater<PostedRing> POSTED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "posted");
    private static final AtomicLongFieldUpdater<PostedRing> RETIRED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "retired");
    private static final AtomicIntegerFieldUpdater<PostedRing> RETIRED_READS =
            AtomicIntegerFieldUpdater.newUpdater(PostedRing.class, "retiredReads");

    private final int depth;
    private final AtomicReferenceArray<@Nullable Operation> slots;
    private int postSlot; // (poster)
    private long taken; // (poster) since the start, minus those given back
    private int postedReads; // (poster)
    private volatile long posted; // (poster) writes
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

    /** Returns the number of requests that are posted and not retired. Any thread. */
    long inFlight() {
        return posted - retired;
    }

    /** Returns the number of requests that were retired since the start. Any thread. */
    long retired() {
        return retired;
    }

    /** Returns the number of reads and atomics that were taken and not retired. Poster. */
    int readsInFlight() {
        return postedReads - retiredReads;
    }

    /** Takes the slot of the next request. Poster. */
    int take() {
        int slot = postSlot;
        postSlot = slot + 1 == depth ? 0 : slot + 1;
        taken++;
        return slot;
    }

    /** Sets the operation that the completion of a slot ends. Poster. */
    void put(int slot, Operation operation, boolean read) {
        slots.setRelease(slot, operation);
        if (read) {
            postedReads++;
        }
    }

    /** Gives back the slot that was taken last, whose request is not to be posted. Poster. */
    void untake(boolean read) {
        postSlot = (postSlot == 0 ? depth : postSlot) - 1;
        taken--;
        slots.setRelease(postSlot, null);
        if (read) {
            postedReads--;
        }
    }

    /**
     * Counts all taken slots as posted. Must run before the post, because a completion may be polled before the post
     * returns. If the post throws, requests that did not reach the device end with the queue pair. Poster.
     */
    void posted() {
        POSTED.lazySet(this, taken);
    }

    /**
     * Gives back the slot that was taken last and counted as posted, because the device refused its request. Poster.
     *
     * @return the operation; null if the slot held none, as for a control frame
     */
    @Nullable
    Operation takeBack() {
        Operation operation = slots.getPlain((postSlot == 0 ? depth : postSlot) - 1);
        untake(operation != null && operation.request().opcode().isReadOrAtomic());
        POSTED.lazySet(this, posted - 1);
        return operation;
    }

    /** Returns the slot that completes next. Loop. */
    int oldest() {
        return retireSlot;
    }

    /** Returns the operation of a slot; null if it holds none, as for a control frame. Loop. */
    @Nullable
    Operation at(int slot) {
        return slots.getAcquire(slot);
    }

    /**
     * Marks the operations of all slots up to the given one as ended, and passes one full fence after all of them.
     * Loop.
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
     * Retires the oldest request, with or without an operation. Its slot, and the result there, may be overwritten from
     * now on. Loop.
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
