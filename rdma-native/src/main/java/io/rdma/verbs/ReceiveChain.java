package io.rdma.verbs;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.Sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A chain of preallocated receive work requests, {@code struct ibv_recv_wr} with their scatter/gather lists. They are
 * filled one after the other and posted as one chain, with one doorbell. Not thread-safe: only one thread at a time may
 * fill it. It can be reused after {@link QueuePair#post(ReceiveChain)} or {@link SharedReceiveQueue#post} has returned.
 */
public final class ReceiveChain {
    private final MemorySegment memory; // keeps the automatic arena alive
    private final long base;
    private final long entries;
    private final int capacity;
    private final int maxSge;
    private int size;
    private long current;

    /**
     * Allocates an empty chain.
     *
     * @param capacity largest number of work requests
     * @param maxSge largest number of entries in each
     */
    public ReceiveChain(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        long wrBytes = (long) capacity * RecvWr.SIZE;
        this.memory = Arena.ofAuto().allocate(wrBytes + (long) capacity * maxSge * Sge.SIZE + Long.BYTES, 64);
        this.base = memory.address();
        this.entries = base + wrBytes;
        for (int i = 0; i < capacity; i++) {
            RecvWr.sgList(base + (long) i * RecvWr.SIZE, entriesOf(i));
        }
    }

    private long entriesOf(int index) {
        return entries + (long) index * maxSge * Sge.SIZE;
    }

    /** Removes all requests. */
    public void clear() {
        size = 0;
        NativeMemory.putLong(badWr(), 0); // a provider may not write it
    }

    /**
     * Returns the number of requests added since {@link #clear}.
     *
     * @return number of requests
     */
    public int size() {
        return size;
    }

    /**
     * Returns whether the chain is full.
     *
     * @return true if no request can be added
     */
    public boolean isFull() {
        return size == capacity;
    }

    /**
     * Starts the next request.
     *
     * @param wrId returned in the completion
     * @return this
     */
    public ReceiveChain add(long wrId) {
        if (size == capacity) {
            throw new IllegalStateException(
                    "chain is full with " + capacity + " requests: post it, or create a longer chain");
        }
        long next = base + (long) size * RecvWr.SIZE;
        if (size > 0) {
            RecvWr.next(current, next);
        }
        current = next;
        size++;
        RecvWr.wrId(next, wrId);
        RecvWr.next(next, 0);
        RecvWr.numSge(next, 0);
        return this;
    }

    /**
     * Adds local memory to the current request.
     *
     * @param address first byte
     * @param length bytes, below 2 to the power of 31
     * @param lkey local key
     * @return this
     */
    public ReceiveChain entry(long address, int length, int lkey) {
        int count = RecvWr.numSge(current);
        if (count == maxSge) {
            throw new IllegalStateException(
                    "work request has its " + maxSge + " entries already: create the chain with a larger maxSge");
        }
        long sge = RecvWr.sgList(current) + (long) count * Sge.SIZE;
        Sge.addr(sge, address);
        Sge.length(sge, length);
        Sge.lkey(sge, lkey);
        RecvWr.numSge(current, count + 1);
        return this;
    }

    long address() {
        return base;
    }

    long badWr() {
        return memory.address() + memory.byteSize() - Long.BYTES;
    }

    /** Returns how many requests were posted before the one that {@link #badWr} names. */
    int postedBeforeBad() {
        long bad = NativeMemory.getLong(badWr());
        long index = (bad - base) / RecvWr.SIZE;
        // A provider that does not write bad_wr has posted nothing.
        return bad < base || index >= size ? 0 : (int) index;
    }
}
