package io.rdma.reactive.databuffer;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Allocator that provides registered memory for direct buffers while some is available. All other buffers come
 * from Netty.
 */
abstract class RegisteredAllocator extends AbstractByteBufAllocator {
    private static final ByteBufAllocator OTHERS = ByteBufAllocator.DEFAULT;

    RegisteredAllocator() {
        super(true);
    }

    /**
     * Returns a buffer over registered memory.
     *
     * @param capacity least number of bytes
     * @return null if no registered memory is available
     */
    abstract @Nullable ByteBuf registered(int capacity, int maxCapacity);

    // Buffers are direct by default, even where Netty prefers heap buffers because it cannot reliably free direct
    // memory: direct buffers here are mostly leased.

    @Override
    public final ByteBuf buffer() {
        return directBuffer();
    }

    @Override
    public final ByteBuf buffer(int initialCapacity) {
        return directBuffer(initialCapacity);
    }

    @Override
    public final ByteBuf buffer(int initialCapacity, int maxCapacity) {
        return directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected final ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        ByteBuf buffer = registered(initialCapacity, maxCapacity);
        return buffer != null ? buffer : OTHERS.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected final ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return OTHERS.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public final boolean isDirectBufferPooled() {
        return true;
    }
}
