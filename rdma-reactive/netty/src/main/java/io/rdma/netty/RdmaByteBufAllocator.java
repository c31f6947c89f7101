package io.rdma.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Allocator of buffers in memory that is registered with the device of one event loop. The device reads them where they
 * are; other buffers are copied when they are flushed. The channels of the event loop have it unless {@link
 * io.netty.channel.ChannelOption#ALLOCATOR} names another one.
 *
 * <p>Buffers of more than 1 MiB, and those beyond {@link RdmaIoOptions#pooledBytes}, come from {@link
 * ByteBufAllocator#DEFAULT}. Thread-safe, and fastest on the event loop.
 */
final class RdmaByteBufAllocator extends AbstractByteBufAllocator {
    private final SlabPool pool;

    RdmaByteBufAllocator(SlabPool pool) {
        super(true);
        this.pool = pool;
    }

    /** Returns a buffer that Netty's leak detector watches, if it is to watch this one. */
    static ByteBuf watched(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return ByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        SlabPiece piece = pool.take(initialCapacity);
        return piece == null
                ? ByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity)
                : toLeakAwareBuffer(piece.buffer(this, pool, initialCapacity, maxCapacity));
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
