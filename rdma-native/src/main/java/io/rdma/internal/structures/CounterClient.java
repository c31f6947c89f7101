package io.rdma.internal.structures;

import java.util.Objects;

// Invariant: a counter changes by fetch-and-add only, and is read by one too (of 0), because no specification says that
// a READ of eight bytes reads them at one moment.

/** Counters, as one client uses them. Thread-safe. */
public final class CounterClient {
    private final StructureAccess access;
    private final StructureHeader header;

    CounterClient(StructureAccess access, StructureHeader header) {
        this.access = access;
        this.header = header;
    }

    /** Returns the number of counters. */
    public int count() {
        return header.count();
    }

    /**
     * Adds to a counter. The result is its new value.
     *
     * @param addend may be negative; 0 reads the counter
     * @throws IndexOutOfBoundsException if there is no such counter
     */
    public StructureCall<Long> add(int index, long addend, StructureCall.Outcome<? super Long> outcome) {
        Objects.checkIndex(index, count());
        return new StructureCall<Long>(access, outcome) {
            @Override
            void attempt() {
                fetchAndAdd(header.wordOffset(index), addend, old -> succeed(old + addend));
            }
        }.start();
    }
}
