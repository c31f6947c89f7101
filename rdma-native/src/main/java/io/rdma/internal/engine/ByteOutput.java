package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - The end of the stream is an empty message, as in rdma-netty. No other message is empty, and nothing follows it.
// - From the first byte until the peer's device has that message, the stream counts as open: a close of the connection
// sends ABORT.
// - The writer takes the buffer out of `filling` while it uses it. The end of the connection raises `dropped` and then
// takes the buffer; the writer puts it back and then reads `dropped`. So one of both gives it back.
// - `total` is the number of messages once the stream has ended. The thread that finds `arrived` equal to it completes
// `delivered`.

/**
 * Output of a byte stream. It collects bytes in a send buffer, which it sends when it is full or pushed. One thread at
 * a time writes.
 */
public final class ByteOutput extends MessageStream {
    private final Endpoint endpoint;
    private final int messageSize;
    private final AtomicReference<@Nullable RegisteredBuffer> filling = new AtomicReference<>();
    private final AtomicLong arrived = new AtomicLong();
    private final CompletableFuture<Void> delivered = new CompletableFuture<>();
    private int filled; // (writer) 0 while there is no buffer
    private long posted; // (writer)
    private boolean ended; // (writer)
    private volatile long total = -1;
    private volatile boolean dropped;
    private volatile @Nullable RuntimeException failure;

    /**
     * Creates the output of a connection.
     *
     * @param endpoint carries no other messages of this side
     * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
     */
    public ByteOutput(Endpoint endpoint) {
        super(endpoint);
        endpoint.options().abilities().requireReliable("byte streams");
        this.endpoint = endpoint;
        this.messageSize = endpoint.options().streamMessageSize();
        endpoint.closed().thenRun(this::drop);
    }

    private void drop() {
        dropped = true;
        RegisteredBuffer unsent = filling.getAndSet(null);
        if (unsent != null) {
            unsent.close();
        }
    }

    /**
     * Checks that bytes can be written.
     *
     * @throws IllegalStateException after the end
     * @throws RuntimeException the error of a message that was not delivered
     */
    public void requireOpen() {
        RuntimeException error = failure;
        if (error != null) {
            throw error;
        }
        if (ended) {
            throw new IllegalStateException("the output of the stream has ended: write before end()");
        }
        if (endpoint.isClosing()) {
            throw endpoint.closedException(false);
        }
    }

    /**
     * Returns whether bytes can be put, because there is a buffer for them. Takes a free one if there is.
     *
     * @return false if one has to be acquired and {@link #fill filled}
     */
    public boolean hasBuffer() {
        if (filling.get() != null) {
            return true;
        }
        RegisteredBuffer free = endpoint.sendBuffers().tryAcquireExclusive();
        if (free == null) {
            return false;
        }
        fill(free);
        return true;
    }

    /**
     * Gives the stream a buffer to fill.
     *
     * @param buffer of the endpoint's send buffers; owned by the stream from now on
     */
    public void fill(RegisteredBuffer buffer) {
        if (!filling.compareAndSet(null, buffer)) {
            buffer.close();
            throw new IllegalStateException("two threads write to the stream: let one write at a time");
        }
        if (dropped) {
            drop();
        }
    }

    /**
     * Puts bytes into the buffer, and sends it when it is full. Call it when {@link #hasBuffer} is true.
     *
     * @param writer puts bytes from the position on, up to the limit
     */
    public void put(Consumer<ByteBuffer> writer) {
        RegisteredBuffer buffer = filling.getAndSet(null);
        if (buffer == null) { // the connection has ended meanwhile
            throw endpoint.closedException(false);
        }
        int most = Math.min(messageSize, buffer.capacity());
        try {
            beginOnce(); // a close of the connection must find that the bytes are not sent
            ByteBuffer room =
                    buffer.segment().asSlice(filled, (long) most - filled).asByteBuffer();
            writer.accept(room);
            filled += room.position();
        } finally {
            fill(buffer);
        }
        if (filled == most) {
            push();
        }
    }

    /**
     * Puts as many bytes as fit, and moves the position of their buffer behind them.
     *
     * @param source bytes from the position to the limit
     */
    public void put(ByteBuffer source) {
        put(room -> {
            int count = Math.min(room.remaining(), source.remaining());
            room.put(source.slice().limit(count));
            source.position(source.position() + count);
        });
    }

    /**
     * Sends the bytes that were put and not sent.
     *
     * @throws RuntimeException as {@link Endpoint#submit} does
     */
    public void push() {
        RegisteredBuffer buffer = filled == 0 ? null : filling.getAndSet(null);
        if (buffer != null) {
            post(buffer.limit(filled));
        }
    }

    private void post(RegisteredBuffer message) {
        filled = 0;
        posted++;
        try {
            send(message);
        } catch (RuntimeException e) {
            failed(e);
            throw e;
        }
    }

    /**
     * Sends the bytes that were put, and the end of the stream. Call it when {@link #hasBuffer} was true after
     * a {@link #push}. A second call does nothing.
     */
    public void end() {
        if (ended) {
            return;
        }
        ended = true;
        RegisteredBuffer empty = filling.getAndSet(null);
        if (empty == null) { // the connection has ended meanwhile
            RuntimeException error = endpoint.closedException(false);
            failed(error);
            throw error;
        }
        post(empty.limit(0));
        total = posted;
        endIfDelivered();
    }

    /**
     * Returns whether {@link #end} was called.
     *
     * @return true if nothing can be written any more
     */
    public boolean isEnded() {
        return ended;
    }

    /**
     * Returns a future that completes when the peer's device has all bytes and the end, or with the error by which it
     * will not get them.
     *
     * @return a future of this caller's own, which it may cancel
     */
    public CompletableFuture<Void> delivered() {
        return delivered.copy();
    }

    private void endIfDelivered() {
        if (arrived.get() == total) {
            finished();
            delivered.complete(null);
        }
    }

    @Override
    protected void sent(int messages) {
        arrived.addAndGet(messages);
        endIfDelivered();
    }

    @Override
    protected void failed(RuntimeException error) {
        if (failure == null) {
            failure = Objects.requireNonNull(error);
        }
        delivered.completeExceptionally(error);
    }
}
