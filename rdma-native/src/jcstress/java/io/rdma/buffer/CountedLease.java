package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** Owner of buffers that belong to no region and no pool. It counts how often their memory was given back. */
public final class CountedLease {
    private static final MemorySegment MEMORY = MemorySegment.ofArray(new long[1]);

    private final AtomicInteger returns = new AtomicInteger();

    /** Returns a buffer whose state word decides which thread gives the memory back. */
    @SuppressWarnings("NullAway") // it is never posted
    public RegisteredBuffer shared() {
        return new RegisteredBuffer(null, MEMORY, returns::incrementAndGet);
    }

    /** Returns a buffer like that of a pool, which passes from owner to owner. */
    public RegisteredBuffer exclusive() {
        return exclusive(0);
    }

    /** Returns a buffer like the one at a place of a pool. */
    @SuppressWarnings("NullAway") // it is never posted
    public RegisteredBuffer exclusive(int place) {
        return new RegisteredBuffer(null, MEMORY, returns::incrementAndGet, place);
    }

    /** Returns how often the memory was given back. */
    public int returns() {
        return returns.get();
    }
}
