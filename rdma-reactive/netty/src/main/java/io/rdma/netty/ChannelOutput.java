package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.MessageStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

// Invariants
// - Each accepted message holds a send buffer until its device is done with it. So what is accepted and not delivered
// is bounded by the send buffers, and the rest waits in Netty's outbound buffer, which makes the channel unwritable.
// - `undelivered` counts accepted messages that have not ended. `ended` runs once: when the output was finished and
// nothing is undelivered, or when the connection has failed.
// - An empty message is the end of the stream. No other message is empty.

/** Output of one channel: turns what is flushed into messages, as many bytes in each as there are. Event loop. */
final class ChannelOutput extends MessageStream {
    private final Endpoint endpoint;
    private final Runnable room;
    private final int most;
    private int undelivered;
    private boolean waiting; // for a send buffer
    private boolean endDue; // the end of the stream waits for a send buffer
    private @Nullable Runnable ended;
    private @Nullable RuntimeException failure;

    /**
     * Creates the output of a connection.
     *
     * @param room called when a flush that found no room may go on; may flush at once
     */
    ChannelOutput(Endpoint endpoint, Runnable room) {
        super(endpoint);
        this.endpoint = endpoint;
        this.room = room;
        this.most = Math.min(endpoint.options().sendBufferSize(), endpoint.options().peerReceiveBufferSize());
    }

    /**
     * Accepts flushed bytes as long as there is room.
     *
     * @throws IOException if the connection has ended
     */
    void accept(ChannelOutboundBuffer flushed) throws IOException {
        while (flushed.current() != null) {
            requireOpen();
            RegisteredBuffer message = endpoint.sendBuffers().tryAcquireExclusive();
            if (message == null) {
                waiting = true;
                requireOpen(); // the pool has no buffer either if the connection has just ended
                return;
            }
            if (!fillAndSend(message, flushed)) {
                return;
            }
        }
    }

    private void requireOpen() throws IOException {
        if (failure != null || endpoint.isClosing()) {
            throw new IOException("Broken pipe", failure != null ? failure : endpoint.failure());
        }
    }

    /**
     * Copies flushed bytes into a message and sends it.
     *
     * @return false if there was nothing left but empty buffers
     */
    private boolean fillAndSend(RegisteredBuffer message, ChannelOutboundBuffer flushed) throws IOException {
        boolean filled = false;
        try {
            ByteBuffer target = message.segment().asByteBuffer().limit(most);
            fill(target, flushed);
            message.limit(target.position());
            filled = target.position() > 0;
        } finally {
            if (!filled) {
                message.close();
            }
        }
        if (filled) {
            post(message);
        }
        return filled;
    }

    private static void fill(ByteBuffer target, ChannelOutboundBuffer flushed) throws IOException {
        for (Object next; target.hasRemaining() && (next = flushed.current()) != null; ) {
            if (next instanceof ByteBuf bytes) {
                int length = Math.min(bytes.readableBytes(), target.remaining());
                int limit = target.limit();
                target.limit(target.position() + length);
                bytes.getBytes(bytes.readerIndex(), target);
                target.limit(limit);
                if (length == 0) {
                    flushed.remove();
                } else {
                    flushed.removeBytes(length);
                }
            } else {
                FileRegion file = (FileRegion) next;
                long sent = file.transferTo(new Target(target), file.transferred());
                flushed.progress(sent);
                if (file.transferred() >= file.count()) {
                    flushed.remove();
                } else if (sent <= 0) {
                    throw new IOException("the file ends before its region: " + file.transferred() + " of "
                            + file.count() + " bytes are there");
                }
            }
        }
    }

    /** Registered memory as the target of a file's bytes. */
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

    private void post(RegisteredBuffer message) {
        undelivered++;
        try {
            send(message);
        } catch (Throwable e) {
            undelivered--;
            throw e;
        }
    }

    /** Tells the peer that no more bytes follow. It is still possible to receive. */
    void end() {
        if (failure != null || endpoint.isClosing()) {
            return;
        }
        RegisteredBuffer message = endpoint.sendBuffers().tryAcquireExclusive();
        if (message == null) {
            endDue = true;
        } else {
            endDue = false;
            post(message.limit(0));
        }
    }

    /**
     * Runs a task once all that was accepted is delivered, or cannot be delivered any more.
     *
     * @return false if that is the case already, and the task was not taken
     */
    boolean whenDelivered(Runnable task) {
        if (isOver()) {
            return false;
        }
        ended = task;
        return true;
    }

    private boolean isOver() {
        return failure != null || undelivered == 0 && !endDue;
    }

    @Override
    protected void sent() {
        undelivered--;
        if (endDue) {
            end();
        }
        proceed();
    }

    @Override
    protected void failed(RuntimeException error) {
        undelivered--;
        failure = error;
        endDue = false;
        proceed();
    }

    private void proceed() {
        Runnable task = ended;
        if (task != null && isOver()) {
            ended = null;
            task.run();
        } else if (waiting) {
            waiting = false;
            room.run();
        }
    }

    /** Returns whether the peer's device has all that was accepted. */
    boolean isDelivered() {
        return failure == null && undelivered == 0 && !endDue;
    }

    /** Notes that the output is complete, so that the close of the connection says so to the peer. */
    void complete() {
        finished();
    }
}
