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
    private final long address;

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
        this.address = message.address();
    }

    /** Returns whether the buffer can be used again for a message: one of the same handle, at the same place. */
    boolean fits(ReceivedMessage other) {
        return other == message
                && other.address() == address
                && other.length() <= room()
                && room() <= other.capacity(); // behind a message that shares its receive buffer is another one
    }

    @Override
    void giveBack(boolean reusable) {
        if (reusable) {
            free.add(message.place(), this);
        }
        message.close();
    }
}
