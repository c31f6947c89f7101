package io.rdma.reactive.databuffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.RegisteredBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

// Invariant: `moved` is set before Netty moves the bytes elsewhere, and never reset; until then they are in the
// registered memory, from its start.

/**
 * Registered memory as an empty {@link ByteBuf} to be written; the last release ends its lease, if it has one. One that
 * outgrows the memory is moved to ordinary memory by Netty.
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

    /** Takes a lease over. */
    static RegisteredByteBuf of(ByteBufAllocator alloc, RegisteredBuffer lease, int maxCapacity) {
        return new RegisteredByteBuf(alloc, lease.segment(), maxCapacity, lease);
    }

    /** Over memory that is somebody else's to give back. */
    static RegisteredByteBuf of(ByteBufAllocator alloc, MemorySegment memory, int maxCapacity) {
        return new RegisteredByteBuf(alloc, memory, maxCapacity, null);
    }

    /** Whether what is to be read is what the registered memory begins with. */
    boolean isInPlace() {
        return !moved && readerIndex() == 0;
    }

    /** The lease, if it can be sent as it is. */
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
