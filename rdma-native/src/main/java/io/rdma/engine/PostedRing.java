package io.rdma.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - Slots are taken in order by the thread that drains the send queue, and retired in the same order by the loop.
// - posted - retired requests are in the device. A slot is written again only by who saw the count that retired it, so
// release and acquire are enough, and no store waits for others (a volatile one costs as much as an atomic
// instruction).

/** What a send queue has in the device, oldest first: a slot for each work request, with the operation it belongs to. */
final class PostedRing {
    private static final VarHandle POSTED = handle("posted", long.class);
    private static final VarHandle RETIRED = handle("retired", long.class);
    private static final VarHandle RETIRED_READS = handle("retiredReads", int.class);

    private final int depth;
    private final AtomicReferenceArray<@Nullable Operation> slots;
    private int postSlot; // (drainer)
    private int postedReads; // (drainer)
    private long posted; // (drainer) writes
    private int retireSlot; // (loop)
    private long retired; // (loop) writes
    private int retiredReads; // (loop) writes

    PostedRing(int depth) {
        this.depth = depth;
        slots = new AtomicReferenceArray<>(depth);
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(PostedRing.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    int depth() {
        return depth;
    }

    /** Requests that are posted and not retired. Any thread. */
    long inFlight() {
        return (long) POSTED.getAcquire(this) - (long) RETIRED.getAcquire(this);
    }

    /** Reads and atomics that were taken and not retired. Drainer. */
    int readsInFlight() {
        return postedReads - (int) RETIRED_READS.getAcquire(this);
    }

    /** The slot of the next request. Drainer. */
    int take() {
        int slot = postSlot;
        postSlot = slot + 1 == depth ? 0 : slot + 1;
        return slot;
    }

    /** What the completion of a slot ends. Drainer. */
    void put(int slot, Operation operation, boolean read) {
        slots.setRelease(slot, operation);
        if (read) {
            postedReads++;
        }
    }

    /** So many of those taken go to the device: before the post, since a completion may be polled before it returns. Drainer. */
    void posted(int count) {
        POSTED.setRelease(this, posted + count);
    }

    /** The request that was taken last was not posted after all. Drainer. @return null if it was a control frame */
    @Nullable
    Operation takeBack() {
        postSlot = (postSlot == 0 ? depth : postSlot) - 1;
        Operation operation = slots.getPlain(postSlot);
        slots.setRelease(postSlot, null);
        POSTED.setRelease(this, posted - 1);
        if (operation != null && operation.request().opcode().isReadOrAtomic()) {
            postedReads--;
        }
        return operation;
    }

    /** The slot that completes next. Loop. */
    int oldest() {
        return retireSlot;
    }

    /** What a slot holds. Loop. */
    @Nullable
    Operation at(int slot) {
        return slots.getAcquire(slot);
    }

    /** The oldest request is done. Loop. @return null if it was a control frame */
    @Nullable
    Operation retire() {
        int slot = retireSlot;
        retireSlot = slot + 1 == depth ? 0 : slot + 1;
        Operation operation = slots.getAcquire(slot);
        if (operation != null) {
            slots.setRelease(slot, null);
            if (operation.request().opcode().isReadOrAtomic()) {
                RETIRED_READS.setRelease(this, retiredReads + 1);
            }
        }
        RETIRED.setRelease(this, retired + 1);
        return operation;
    }
}
