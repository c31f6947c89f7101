package io.rdma.reactive.databuffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.RegisteredBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

// Invariant: `moved` is set before Netty moves the bytes elsewhere, and is never reset. Until then the bytes are in the
// registered memory, from its start.

/**
 * {@link ByteBuf} over registered memory, initially empty. The last release ends its lease, if it has one. Netty moves
 * a buffer that outgrows the memory to ordinary memory.
 */
final class RegisteredByteBuf extends UnpooledDirectByteBuf {
    private final @Nullable RegisteredBuffer lease;
    private boolean moved;

    private RegisteredByteBuf(
            ByteBufAllocator alloc, MemorySegment memory, int maxCapacity, @Nullable RegisteredBuffer lease) {
        super(alloc, memory.asByteBuffer(), maxCapacity);
        this.lease = lease;
        clear();
    }

    /** Returns a buffer that takes over a lease. */
    static RegisteredByteBuf of(ByteBufAllocator alloc, RegisteredBuffer lease, int maxCapacity) {
        return new RegisteredByteBuf(alloc, lease.segment(), maxCapacity, lease);
    }

    /** Returns a buffer over memory that its owner frees or returns. */
    static RegisteredByteBuf of(ByteBufAllocator alloc, MemorySegment memory, int maxCapacity) {
        return new RegisteredByteBuf(alloc, memory, maxCapacity, null);
    }

    /** Returns whether the readable bytes begin at the start of the registered memory. */
    boolean isInPlace() {
        return !moved && readerIndex() == 0;
    }

    /** Returns the lease if the buffer can be sent from where it is; else null. */
    @Nullable
    RegisteredBuffer lease() {
        return isInPlace() ? lease : null;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        moved |= newCapacity != capacity();
        return super.capacity(newCapacity);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        if (lease != null) {
            lease.close();
        }
    }
}
