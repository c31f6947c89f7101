package io.rdma.engine;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - As many slots as the completion queue has entries: a queue joins only if its whole depth fits, so the completion
// queue cannot overrun.
// - wr_id = generation << 32 | slot. A slot's generation moves on at every use, so a stale or foreign wr_id finds
// nothing.
// - Ranges are handed out and taken back under the monitor (rare); lookups are lock-free on the loop thread.

/** Finds, through {@code wr_id}, the queue that a completion belongs to; and admits queues to a completion queue within its depth. */
final class InFlightTable {
    /** A queue whose work requests have slots here. */
    interface Owner {
        /** A completion, on the loop thread. */
        void completed(int slot, io.rdma.verbs.CompletionBatch batch, int index);
    }

    private final @Nullable Owner[] owners;
    private final int[] bases;
    private final AtomicIntegerArray generations;
    private int free;

    InFlightTable(int slots) {
        owners = new @Nullable Owner[slots];
        bases = new int[slots];
        generations = new AtomicIntegerArray(slots);
        free = slots;
    }

    /**
     * Reserves consecutive slots.
     *
     * @return the first, or -1 when there is no room
     */
    synchronized int reserve(int count, Owner owner) {
        int run = 0;
        for (int slot = 0; slot < owners.length; slot++) {
            run = owners[slot] == null ? run + 1 : 0;
            if (run == count) {
                int base = slot - count + 1;
                for (int s = base; s <= slot; s++) {
                    bases[s] = base;
                    owners[s] = owner;
                }
                free -= count;
                return base;
            }
        }
        return -1;
    }

    synchronized void release(int base, int count) {
        for (int s = base; s < base + count; s++) {
            owners[s] = null;
            generations.incrementAndGet(s); // completions that arrive later are stale
        }
        free += count;
    }

    synchronized int free() {
        return free;
    }

    /** The wr_id for the next use of a slot. */
    long arm(int slot) {
        int generation = generations.get(slot) + 1;
        generations.lazySet(slot, generation);
        return (long) generation << 32 | slot;
    }

    /**
     * Hands a completion to its owner.
     *
     * @return false if the wr_id is not in flight
     */
    boolean dispatch(io.rdma.verbs.CompletionBatch batch, int index) {
        long wrId = batch.wrId(index);
        int slot = (int) wrId;
        if (slot < 0 || slot >= owners.length || generations.get(slot) != (int) (wrId >>> 32)) {
            return false;
        }
        Owner owner = owners[slot];
        if (owner == null) {
            return false;
        }
        owner.completed(slot - bases[slot], batch, index);
        return true;
    }
}
