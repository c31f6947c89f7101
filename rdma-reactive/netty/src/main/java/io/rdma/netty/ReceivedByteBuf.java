package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.rdma.buffer.ReceivedMessage;

// Invariant: the message is open until the reference count is 0, and is closed exactly once.

/** Bytes of one message in the memory where it arrived. The last release posts the receive buffer again. */
final class ReceivedByteBuf extends UnpooledDirectByteBuf {
    private final ReceivedMessage message;

    /**
     * Takes over a message.
     *
     * @param allocator of further memory, if the pipeline enlarges the buffer
     * @param message open, not empty
     */
    ReceivedByteBuf(ByteBufAllocator allocator, ReceivedMessage message) {
        super(allocator, message.segment().asByteBuffer(), Integer.MAX_VALUE);
        this.message = message;
    }

    @Override
    protected void deallocate() {
        try {
            super.deallocate();
        } finally {
            message.close();
        }
    }
}
