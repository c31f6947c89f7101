package io.rdma.reactive.databuffer;

import io.netty.buffer.ByteBuf;
import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import org.jspecify.annotations.Nullable;

/** Allocator that leases buffers from a connection's pool of send buffers. Thread-safe. */
final class LeasingAllocator extends RegisteredAllocator {
    private final BufferPool pool;

    LeasingAllocator(BufferPool pool) {
        this.pool = pool;
    }

    @Override
    @Nullable
    ByteBuf registered(int capacity, int maxCapacity) {
        RegisteredBuffer lease =
                capacity <= pool.bufferSize() && pool.bufferSize() <= maxCapacity ? pool.tryAcquire() : null;
        return lease == null ? null : RegisteredByteBuf.of(this, lease, maxCapacity);
    }
}
