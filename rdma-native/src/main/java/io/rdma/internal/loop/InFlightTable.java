package io.rdma.internal.loop;

import io.rdma.verbs.CompletionBatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Invariants
// - wr_id = generation (24 bits) | number of the queue (20 bits) | slot of the queue (20 bits). Every use of a slot
// increments its generation, so a stale or foreign wr_id finds nothing.
// - One thread at a time issues wr_ids of a queue, and hands that over with ordering. So it reads generations plainly.
// - A number keeps its generations when it passes from one queue to the next.
// - Queues are added and removed under the monitor (rare). Each change ends by a write of `queues`, so the loop reads
// the array without a lock. An array is copied only when it is full: thousands of connections would otherwise copy it
// for each of them.
// - The table does not limit the requests to the depth of a completion queue; CompletionQueues does.

/** Table of the work requests of one loop. It finds the queue of a completion by {@code wr_id}. */
public final class InFlightTable {
    /** A queue whose work requests have slots in the table. */
    public interface Owner {
        /** Handles the completion of a slot. Loop thread. */
        void completed(int slot, CompletionBatch batch, int index);

        /**
         * Reads what {@link #completed} will need, and does nothing with it. Loop, in a batch before {@code completed}.
         *
         * @return any number, so that the reads are not left out
         */
        default int touch() {
            return 0;
        }

        /** Ends the connections of the queue, because {@link #completed} threw: they wait for what is lost. Loop. */
        void interrupted(RuntimeException cause);
    }

    private static final VarHandle GENERATION = MethodHandles.arrayElementVarHandle(int[].class);

    private static final int SLOT_BITS = 20;
    private static final int NUMBER_BITS = 20;
    private static final int GENERATION_SHIFT = SLOT_BITS + NUMBER_BITS;
    private static final int MOST_SLOTS = 1 << SLOT_BITS;
    private static final int FEWEST_NUMBERS = 16;
    private static final int MOST_NUMBERS = 1 << NUMBER_BITS;
    private static final int GENERATION_MASK = (1 << Long.SIZE - GENERATION_SHIFT) - 1;

    /** The slots of one queue. */
    public static final class Slots {
        private final @Nullable Owner owner; // null if the number is free
        private final int number;
        private final int[] generations; // possibly longer, from a former queue

        private Slots(@Nullable Owner owner, int number, int[] generations) {
            this.owner = owner;
            this.number = number;
            this.generations = generations;
        }

        /**
         * Issues the wr_id for the next use of a slot. Earlier wr_ids of the slot are stale from then on. One thread at
         * a time for each slot.
         */
        public long issue(int slot) {
            int generation = generations[slot] + 1;
            GENERATION.setRelease(generations, slot, generation);
            return (long) generation << GENERATION_SHIFT | (long) number << SLOT_BITS | slot;
        }
    }

    private volatile @Nullable Slots[] queues = new @Nullable Slots[FEWEST_NUMBERS];
    private int used; // guarded by this: numbers below it were given to a queue once
    private final ArrayDeque<Integer> free = new ArrayDeque<>(); // numbers, the longest free one first

    /**
     * Adds a queue.
     *
     * @param count number of its slots
     * @return its slots, to be given to {@link #remove}
     */
    public synchronized Slots add(int count, Owner owner) {
        if (count < 1 || count > MOST_SLOTS) {
            throw new IllegalArgumentException("a queue has from 1 to " + MOST_SLOTS + " slots, not " + count);
        }
        @Nullable Slots[] now = queues;
        Integer known = free.poll();
        if (known == null && used == MOST_NUMBERS) {
            throw new IllegalStateException("a completion loop has at most " + MOST_NUMBERS
                    + " queues: open RdmaResources with more loops, ResourceOptions.withLoops");
        }
        int number = known == null ? used++ : known;
        if (number == now.length) {
            now = Arrays.copyOf(now, 2 * number);
        }
        Slots former = now[number];
        Slots made = new Slots(owner, number, former == null ? new int[count] : atLeast(count, former.generations));
        now[number] = made;
        queues = now; // also if it is the same array: publishes the entry
        return made;
    }

    private static int[] atLeast(int count, int[] known) {
        return known.length >= count ? known : Arrays.copyOf(known, count);
    }

    /** Removes a queue, which must not issue a wr_id any more. Completions that arrive later are stale. */
    public synchronized void remove(Slots slots) {
        int[] generations = slots.generations;
        for (int slot = 0; slot < generations.length; slot++) {
            slots.issue(slot);
        }
        @Nullable Slots[] now = queues;
        now[slots.number] = new Slots(null, slots.number, generations);
        queues = now;
        free.add(slots.number);
    }

    /** Returns the number of queues in the table. */
    synchronized int count() {
        return used - free.size();
    }

    /**
     * Has the owners of a batch read what its completions need. The state of thousands of connections is not in the
     * processor's cache. In this short loop the processor waits for the state of several connections at once, in their
     * completions for one after the other.
     *
     * @return any number, so that the reads are not left out
     */
    int touch(CompletionBatch batch, int size) {
        @Nullable Slots[] now = queues;
        int sum = 0;
        int before = -1;
        for (int i = 0; i < size; i++) {
            int number = (int) (batch.wrId(i) >>> SLOT_BITS) & MOST_NUMBERS - 1;
            Slots of = number < now.length && number != before ? now[number] : null;
            before = number;
            if (of != null && of.owner != null) {
                sum += of.generations.length + of.owner.touch();
            }
        }
        return sum;
    }

    /**
     * Hands a completion to its owner.
     *
     * @return false if the wr_id is not in flight
     */
    boolean dispatch(CompletionBatch batch, int index) {
        long wrId = batch.wrId(index);
        @Nullable Slots[] now = queues;
        int number = (int) (wrId >>> SLOT_BITS) & MOST_NUMBERS - 1;
        Slots of = number < now.length ? now[number] : null;
        if (of == null) {
            return false;
        }
        Owner owner = of.owner;
        int slot = (int) wrId & MOST_SLOTS - 1;
        if (owner == null
                || slot >= of.generations.length
                || ((int) GENERATION.getAcquire(of.generations, slot) & GENERATION_MASK)
                        != (int) (wrId >>> GENERATION_SHIFT)) {
            return false;
        }
        try {
            owner.completed(slot, batch, index);
        } catch (RuntimeException e) {
            owner.interrupted(e);
        }
        return true;
    }
}
