package io.rdma.reactive.databuffer;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** An allocator that hands out registered memory for direct buffers while there is some; everything else is Netty's. */
abstract class RegisteredAllocator extends AbstractByteBufAllocator {
    private static final ByteBufAllocator OTHERS = ByteBufAllocator.DEFAULT;

    RegisteredAllocator() {
        super(true);
    }

    /**
     * @param capacity at least so much
     * @return null if there is none
     */
    abstract @Nullable ByteBuf registered(int capacity, int maxCapacity);

    // Direct by default, also where Netty would rather not free direct memory: what is direct here is mostly lent.

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
