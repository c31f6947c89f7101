package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rdma.buffer.ReceivedMessage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariant: a buffer is here only between its last release and the next message in the same receive buffer. So a
// buffer that the application has dropped becomes unreachable, which leak detectors report.

/** Buffers of one connection in which messages have arrived, to be used again. */
final class ReceivedBuffers {
    private final AtomicReferenceArray<@Nullable ReceivedByteBuf> free; // by the message's place

    /**
     * Creates an empty set.
     *
     * @param places number of receive buffers
     */
    ReceivedBuffers(int places) {
        free = new AtomicReferenceArray<>(places);
    }

    /** Returns a message as a buffer, which takes it over. Event loop. */
    ByteBuf take(ReceivedMessage message, ByteBufAllocator allocator) {
        ReceivedByteBuf buffer = free.getAcquire(message.place());
        if (buffer != null && buffer.fits(message)) {
            free.setPlain(message.place(), null);
            buffer.reopen();
        } else {
            buffer = new ReceivedByteBuf(allocator, message, this);
        }
        buffer.open(message.length(), Integer.MAX_VALUE, message.length());
        return RdmaByteBufAllocator.watched(buffer);
    }

    /** Adds a buffer that was released. Any thread. */
    void add(int place, ReceivedByteBuf buffer) {
        free.setRelease(place, buffer);
    }
}
