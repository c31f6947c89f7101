package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.buffer.ReceivedMessage;

// Invariants
// - The message is open until the buffer is released or has moved, and is closed exactly once.
// - The buffer goes to `free` before the message is closed: the receive buffer may have the next message after that.

/** Bytes of one message in the memory where it arrived. The last release posts the receive buffer again. */
final class ReceivedByteBuf extends BorrowedByteBuf {
    private final ReceivedMessage message;
    private final ReceivedBuffers free;

    /**
     * Takes over a message.
     *
     * @param allocator of further memory, if the pipeline enlarges the buffer
     * @param message open, not empty
     * @param free takes the buffer when it was released
     */
    ReceivedByteBuf(ByteBufAllocator allocator, ReceivedMessage message, ReceivedBuffers free) {
        super(allocator, message.segment().asByteBuffer());
        this.message = message;
        this.free = free;
    }

    /** Returns whether the buffer can be used again for a message: one of the same handle, that fits. */
    boolean fits(ReceivedMessage other) {
        return other == message && other.length() <= room();
    }

    @Override
    void giveBack(boolean reusable) {
        if (reusable) {
            free.add(message.place(), this);
        }
        message.close();
    }
}
