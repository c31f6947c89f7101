package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.os.Pages;
import io.rdma.types.HugePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

// Invariant: positions only grow; an entry is at its position modulo the number of entries. One extra entry is scratch
// space for swaps. Guarded by the completion queue's monitor.

/** A ring of completions, as {@link Wc} in native memory, each with its queue pair, freed slots and urgency. */
final class CompletionRing {
    final int entries;
    private final MemorySegment memory; // keeps the automatic arena alive
    private final @Nullable SoftQp[] owners;
    private final @Nullable SoftSrq[] sources; // of a receive from a shared queue
    private final boolean[] receives;
    private final boolean[] urgent;
    private final long[] retires;
    private final SoftTimestamps timestamps;

    CompletionRing(int entries, SoftTimestamps timestamps) {
        this.entries = entries;
        int all = entries + 1;
        memory = Pages.allocate(Arena.ofAuto(), (long) all * Wc.SIZE, HugePages.NONE);
        owners = new @Nullable SoftQp[all];
        sources = new @Nullable SoftSrq[all];
        receives = new boolean[all];
        urgent = new boolean[all];
        retires = new long[all];
        this.timestamps = timestamps.resized(all);
    }

    private int slot(long position) {
        return (int) (position % entries);
    }

    private long at(int slot) {
        return memory.address() + (long) slot * Wc.SIZE;
    }

    /** Returns the address of the {@link Wc} at a position. */
    long wc(long position) {
        return at(slot(position));
    }

    /**
     * Sets the rest of an entry whose {@link Wc} is written.
     *
     * @param retire position in the work queue; the poll of this entry frees the slots before it
     * @param wakes whether it raises an event even on a queue armed for solicited completions only
     */
    void put(long position, SoftQp qp, boolean receive, long retire, boolean wakes) {
        int slot = slot(position);
        owners[slot] = qp;
        sources[slot] = receive ? qp.srq : null;
        receives[slot] = receive;
        urgent[slot] = wakes;
        retires[slot] = retire;
        timestamps.take(slot);
    }

    @Nullable
    SoftQp owner(long position) {
        return owners[slot(position)];
    }

    @Nullable
    SoftSrq source(long position) {
        return sources[slot(position)];
    }

    boolean wakes(long position) {
        return urgent[slot(position)];
    }

    /** Copies an entry, and its time if {@code time} is not 0, to the polling thread, and frees its slots. */
    void poll(long position, long wc, long time) {
        int slot = slot(position);
        NativeMemory.copy(at(slot), wc, Wc.SIZE);
        if (time != 0) {
            timestamps.copy(slot, time);
        }
        SoftQp qp = owners[slot];
        owners[slot] = null;
        if (qp != null) {
            qp.retire(receives[slot], retires[slot], sources[slot]);
        }
    }

    /** Clears the owner of an entry. */
    void forget(long position) {
        owners[slot(position)] = null;
    }

    void move(long from, long to) {
        copy(slot(from), this, slot(to));
    }

    void swap(long one, long other) {
        copy(slot(one), this, entries);
        copy(slot(other), this, slot(one));
        copy(entries, this, slot(other));
    }

    void copy(long position, CompletionRing target) {
        copy(slot(position), target, target.slot(position));
    }

    private void copy(int from, CompletionRing target, int to) {
        NativeMemory.copy(at(from), target.at(to), Wc.SIZE);
        target.owners[to] = owners[from];
        target.sources[to] = sources[from];
        target.receives[to] = receives[from];
        target.urgent[to] = urgent[from];
        target.retires[to] = retires[from];
        timestamps.copy(from, target.timestamps, to);
    }

    /** Returns an empty ring of the same size whose entries have timestamps. */
    CompletionRing withTimestamps(LongSupplier clock) {
        return new CompletionRing(entries, new SoftTimestamps(1, clock));
    }

    /** Returns an empty ring of another size, with timestamps if this one has them. */
    CompletionRing resized(int newEntries) {
        return new CompletionRing(newEntries, timestamps);
    }
}
