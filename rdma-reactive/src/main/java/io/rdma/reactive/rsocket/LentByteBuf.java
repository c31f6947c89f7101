package io.rdma.reactive.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.ReceivedMessage;

/** A message in the buffer that it arrived in, as a {@link ByteBuf}; the last release closes the message, and so posts the buffer again. */
final class LentByteBuf extends UnpooledDirectByteBuf {
    private final ReceivedMessage message;

    /** @param alloc for what is made of it, such as copies and composites */
    LentByteBuf(ByteBufAllocator alloc, ReceivedMessage message) {
        super(alloc, message.segment().asByteBuffer(), message.length());
        this.message = message;
    }

    @Override
    protected void deallocate() {
        message.close();
    }
}
