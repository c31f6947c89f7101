package io.rdma.reactive.internal;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.ReceivedMessage;

/**
 * A message in the buffer that it arrived in, as a {@link io.netty.buffer.ByteBuf}; the last release closes the
 * message, and so posts the buffer again.
 */
public final class LentByteBuf extends UnpooledDirectByteBuf {
    private final ReceivedMessage message;

    /**
     * Takes a message over.
     *
     * @param alloc for what is made of it, such as copies and composites
     * @param message open
     */
    public LentByteBuf(ByteBufAllocator alloc, ReceivedMessage message) {
        super(alloc, message.segment().asByteBuffer(), message.length());
        this.message = message;
    }

    @Override
    protected void deallocate() {
        super.deallocate(); // what it was moved to, if somebody made it shorter
        message.close();
    }
}
