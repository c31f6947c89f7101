package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - Memory of a buffer is named only if no other reference to it exists.
// - Bytes leave the outbound buffer in order, and each once: copied into the send buffer, or named as a piece.
// - `target` is the send buffer; its bytes from `run` to its position are copied and not yet named by a piece.
// - The filler holds nothing between two messages.

/**
 * Filler of messages from what a channel has flushed. Bytes in registered memory of the event loop are sent from where
 * they are, unless they are few; all others are copied. Event loop.
 */
final class MessageFiller {
    /** Fewer bytes are copied: a piece of its own costs the device more than the copy costs the processor. */
    private static final int FEWEST_TO_GATHER = 1024;

    /** Room that a further piece needs: for itself, and for bytes that are copied before and behind it. */
    private static final int PIECES = 3;

    private final SlabPool pool;
    private final boolean gathers;
    private final int most;
    private final Supplier<GatheredMessage> messages;
    private final @Nullable ByteBuffer[] targets; // by the place of the send buffer
    private ByteBuffer target = ByteBuffer.allocate(0);
    private int run;
    private @Nullable GatheredMessage gathered;
    private @Nullable RegisteredBuffer buffer;
    private @Nullable Throwable failure;

    /**
     * Creates the filler of a connection.
     *
     * @param pool registered memory; of use if it is registered in the domain of the connection
     * @param messages makes an empty message
     */
    MessageFiller(Endpoint endpoint, SlabPool pool, Supplier<GatheredMessage> messages) {
        this.pool = pool;
        this.messages = messages;
        gathers = endpoint.registrations().domain() == pool.domain()
                && endpoint.options().maxGathered() >= PIECES;
        targets = new @Nullable ByteBuffer[endpoint.sendBuffers().count()];
        most = endpoint.options().streamMessageSize();
    }

    /**
     * Moves flushed bytes into a message. What was moved before a failure, such as that of a file, is in the message.
     *
     * @param into send buffer, whose limit becomes the number of copied bytes
     * @return the message, which holds the send buffer from now on; null if all bytes were copied
     */
    @Nullable
    GatheredMessage fill(RegisteredBuffer into, ChannelOutboundBuffer flushed) {
        buffer = into;
        target = target(into);
        run = 0;
        failure = null;
        try {
            moveAll(flushed);
        } catch (Throwable e) {
            failure = e;
        }
        GatheredMessage message = gathered;
        gathered = null;
        if (message == null) {
            into.limit(target.position());
        } else {
            endRun(message);
            message.begin(into);
        }
        return message;
    }

    private ByteBuffer target(RegisteredBuffer into) {
        ByteBuffer known = targets[into.place()];
        if (known == null) {
            known = into.segment().asByteBuffer();
            targets[into.place()] = known;
        }
        return known.clear().limit(most);
    }

    private void moveAll(ChannelOutboundBuffer flushed) throws IOException {
        for (Object next; room() > 0 && (next = flushed.current()) != null; ) {
            int moved = next instanceof ByteBuf bytes ? move(bytes) : move((FileRegion) next, flushed);
            if (moved > 0) {
                flushed.removeBytes(moved);
            } else if (moved == 0) {
                flushed.remove();
            } else {
                return;
            }
        }
    }

    /** Throws what ended the last {@link #fill}, if it did not end by itself. */
    void requireNoFailure() throws IOException {
        Throwable cause = failure;
        failure = null;
        switch (cause) {
            case null -> {}
            case IOException io -> throw io;
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            default -> throw new IOException(cause);
        }
    }

    private int room() {
        GatheredMessage message = gathered;
        return message == null
                ? target.remaining()
                : Math.min(most - message.bytes() - (target.position() - run), target.remaining());
    }

    /** Moves bytes of a buffer; returns how many, 0 if it has none, -1 if they do not fit. */
    private int move(ByteBuf bytes) {
        int length = Math.min(bytes.readableBytes(), room());
        if (length < FEWEST_TO_GATHER || !gathers || !bytes.isDirect() || !isUnshared(bytes)) {
            return copy(bytes, length);
        }
        if (bytes.nioBufferCount() == 1) {
            return name(bytes, bytes.internalNioBuffer(bytes.readerIndex(), length)) ? length : copy(bytes, length);
        }
        return moveParts(bytes, length);
    }

    /**
     * Returns whether nobody but the channel has the bytes. An application may change a buffer that it has retained as
     * soon as the write has succeeded, which is before the device has read it.
     */
    private static boolean isUnshared(ByteBuf bytes) {
        if (bytes.refCnt() != 1) {
            return false;
        }
        if (bytes instanceof CompositeByteBuf composite) {
            for (int part = 0; part < composite.numComponents(); part++) {
                if (composite.internalComponent(part).refCnt() != 1) {
                    return false;
                }
            }
            return true;
        }
        return bytes.nioBufferCount() == 1; // else it has parts whose counts are not known
    }

    private int copy(ByteBuf bytes, int length) {
        int limit = target.limit();
        target.limit(target.position() + length);
        bytes.getBytes(bytes.readerIndex(), target);
        target.limit(limit);
        return length;
    }

    private int moveParts(ByteBuf composite, int length) {
        for (ByteBuffer part : composite.nioBuffers(composite.readerIndex(), length)) {
            if (part.remaining() < FEWEST_TO_GATHER || !name(composite, part)) {
                target.put(part);
            }
        }
        return length;
    }

    /**
     * Names bytes as the next piece.
     *
     * @return false if they are not registered, or if the message has no room for a piece; nothing was done then
     */
    private boolean name(ByteBuf owner, ByteBuffer part) {
        if (!part.isDirect()) {
            return false;
        }
        long address = MemorySegment.ofBuffer(part).address();
        MemoryRegion region = pool.regionOf(address, part.remaining());
        if (region == null) {
            return false;
        }
        GatheredMessage message = gathered;
        if (message == null) {
            message = messages.get();
            gathered = message;
        }
        if (!message.hasRoomFor(PIECES)) {
            return false;
        }
        endRun(message);
        message.add(address, part.remaining(), region.lkey());
        message.keep(owner);
        return true;
    }

    /** Makes the bytes copied since the last piece a piece. */
    private void endRun(GatheredMessage message) {
        RegisteredBuffer copied = buffer;
        int length = target.position() - run;
        if (length > 0 && copied != null) {
            message.add(copied.address() + run, length, copied.lkey());
            run = target.position();
        }
    }

    /** Reads bytes of a file; returns 0 when they were the last ones, -1 when more follow. */
    private int move(FileRegion file, ChannelOutboundBuffer flushed) throws IOException {
        int limit = target.limit();
        target.limit(target.position() + room());
        long read = file.transferTo(new Target(target), file.transferred());
        target.limit(limit);
        flushed.progress(read);
        if (file.transferred() >= file.count()) {
            return 0;
        }
        if (read <= 0) {
            throw new IOException("the file ends before its region: " + file.transferred() + " of " + file.count()
                    + " bytes are there");
        }
        return -1;
    }

    /** Send buffer as the target of a file's bytes. */
    private record Target(ByteBuffer memory) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            int length = Math.min(source.remaining(), memory.remaining());
            memory.put(memory.position(), source, source.position(), length);
            memory.position(memory.position() + length);
            source.position(source.position() + length);
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
