package io.rdma.reactive.internal;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.ReceivedMessage;

/**
 * {@link io.netty.buffer.ByteBuf} over a message in the buffer that it arrived in. The last release closes the message,
 * and so posts the buffer again.
 */
public final class LentByteBuf extends UnpooledDirectByteBuf {
    private final ReceivedMessage message;

    /**
     * Takes over a message.
     *
     * @param alloc allocator for derived buffers, such as copies and composites
     * @param message open message
     */
    public LentByteBuf(ByteBufAllocator alloc, ReceivedMessage message) {
        super(alloc, message.segment().asByteBuffer(), message.length());
        this.message = message;
    }

    @Override
    protected void deallocate() {
        super.deallocate(); // frees the memory that Netty moved it to, if its capacity was reduced
        message.close();
    }
}
