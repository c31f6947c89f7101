package io.rdma.internal.engine;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

// Invariants
// - The poster of the send queue takes slots in order; the loop retires them in the same order.
// - posted - retired requests are in the device. The poster releases `posted` after it wrote their slots, and the loop
// reads `posted` before the slots. The loop releases `retired` after it cleared a slot, and the poster reads `retired`
// before it writes the slot again. So the slots are plain, and lazySet is enough for the counts; it does not wait for
// other stores, while a volatile store costs as much as an atomic instruction.
// - Each thread keeps a plain copy of its own counts.
// - A completion ends no more requests than are in the device. One that comes twice would, and ends the connection.

/** Ring of the posted work requests of a send queue, oldest first. Each slot holds the operation of its request. */
final class PostedRing {
    private static final AtomicLongFieldUpdater<PostedRing> POSTED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "posted");
    private static final AtomicLongFieldUpdater<PostedRing> RETIRED =
            AtomicLongFieldUpdater.newUpdater(PostedRing.class, "retired");
    private static final AtomicIntegerFieldUpdater<PostedRing> RETIRED_READS =
            AtomicIntegerFieldUpdater.newUpdater(PostedRing.class, "retiredReads");

    private final int depth;
    private final @Nullable Operation[] slots;
    private int postSlot; // (poster)
    private long taken; // (poster) since the start, minus those given back
    private int postedReads; // (poster)
    private volatile long posted; // (poster) writes
    private int retireSlot; // (loop)
    private long ended; // (loop) as `retired`
    private int endedReads; // (loop) as `retiredReads`
    private volatile long retired; // (loop) writes
    private volatile int retiredReads; // (loop) writes

    PostedRing(int depth) {
        this.depth = depth;
        slots = new @Nullable Operation[depth];
    }

    int depth() {
        return depth;
    }

    /** Returns the number of requests that are posted and not retired. Any thread. */
    long inFlight() {
        return posted - retired;
    }

    /** Returns the number of slots in use, by requests that are posted or will be. Poster. */
    long inUse() {
        return taken - retired;
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
        slots[slot] = operation;
        if (read) {
            postedReads++;
        }
    }

    /** Gives back the slot that was taken last, whose request is not to be posted. Poster. */
    void untake(boolean read) {
        postSlot = (postSlot == 0 ? depth : postSlot) - 1;
        taken--;
        slots[postSlot] = null;
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
        Operation operation = slots[(postSlot == 0 ? depth : postSlot) - 1];
        untake(operation != null && operation.isRead());
        POSTED.lazySet(this, taken);
        return operation;
    }

    /** Reads the oldest operation, see {@link io.rdma.internal.loop.InFlightTable.Owner#touch}. Loop. */
    int touch() {
        Operation oldest = slots[retireSlot];
        return oldest == null ? 0 : oldest.length();
    }

    /** Returns the slot that completes next. Loop. */
    int oldest() {
        return retireSlot;
    }

    /** Returns the operation of a slot that is in flight; null if it holds none, as for a control frame. Loop. */
    @Nullable
    Operation at(int slot) {
        return slots[slot];
    }

    /**
     * Marks the operations of all slots up to the given one as ended, and passes one full fence after all of them.
     * Loop.
     *
     * @throws IllegalStateException if the device does not hold a request in the slot
     */
    void endingUpTo(int last) {
        int slot = retireSlot;
        int count = last - slot + 1;
        if (count <= 0) {
            count += depth;
        }
        if (count > posted - ended) { // the read that the slots are ordered behind
            throw new IllegalStateException("the device reported the completion of a request that it did not hold");
        }
        for (; count > 0; count--) {
            Operation operation = slots[slot];
            if (operation != null) {
                operation.ending();
            }
            slot = slot + 1 == depth ? 0 : slot + 1;
        }
        VarHandle.fullFence();
    }

    /** Retires the oldest request, whose slot holds no operation. Loop. */
    void retire() {
        int slot = retireSlot;
        retireSlot = slot + 1 == depth ? 0 : slot + 1;
        RETIRED.lazySet(this, ++ended);
    }

    /**
     * Retires the oldest request, whose slot holds an operation. The slot, and the result there, may be overwritten
     * from now on. Loop.
     *
     * @param read whether it is a read or an atomic
     */
    void retire(boolean read) {
        slots[retireSlot] = null;
        if (read) {
            RETIRED_READS.lazySet(this, ++endedReads);
        }
        retire();
    }
}
