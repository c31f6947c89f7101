package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rdma.buffer.ReceivedMessage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - A buffer is here only after its last release, until another one takes its place, or until it is used again. So a
// buffer that the application has dropped becomes unreachable, which leak detectors report.
// - Receive buffers that connections share have more places than one connection can hold at a time. Their buffers take
// turns here, and a message takes only a buffer that was made for its handle and memory.

/** Buffers of one connection in which messages have arrived, to be used again. */
final class ReceivedBuffers {
    private final AtomicReferenceArray<@Nullable ReceivedByteBuf> free; // by the message's place, in turn

    /**
     * Creates an empty set.
     *
     * @param places at least the number of receive buffers in which messages are at a time
     */
    ReceivedBuffers(int places) {
        free = new AtomicReferenceArray<>(places);
    }

    /** Returns a message as a buffer, which takes it over. Event loop. */
    ByteBuf take(ReceivedMessage message, ByteBufAllocator allocator) {
        int index = index(message.place());
        ReceivedByteBuf buffer = free.getAcquire(index);
        if (buffer != null && buffer.fits(message)) {
            free.setPlain(index, null);
            buffer.reopen();
        } else {
            buffer = new ReceivedByteBuf(allocator, message, this);
        }
        buffer.open(message.length(), Integer.MAX_VALUE, message.length());
        return RdmaByteBufAllocator.watched(buffer);
    }

    /** Adds a buffer that was released. Any thread. */
    void add(int place, ReceivedByteBuf buffer) {
        free.setRelease(index(place), buffer);
    }

    private int index(int place) {
        return place % free.length();
    }
}
