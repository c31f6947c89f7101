package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** Buffers that belong to no region and no pool, and count how often their memory was given back. */
public final class CountedLease {
    private static final MemorySegment MEMORY = MemorySegment.ofArray(new long[1]);

    private final AtomicInteger returns = new AtomicInteger();

    /** A buffer whose word decides who gives the memory back. */
    @SuppressWarnings("NullAway") // it is never posted
    public RegisteredBuffer shared() {
        return new RegisteredBuffer(null, MEMORY, returns::incrementAndGet);
    }

    /** A buffer of a pool, which goes from owner to owner. */
    @SuppressWarnings("NullAway") // it is never posted
    public RegisteredBuffer exclusive() {
        return new RegisteredBuffer(null, MEMORY, returns::incrementAndGet, 0);
    }

    /** How often the memory went back. */
    public int returns() {
        return returns.get();
    }
}
