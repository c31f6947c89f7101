package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - The end of the stream is an empty message, as in rdma-netty. No other message is empty, and nothing follows it.
// - From the first byte until the peer's device has that message, the stream counts as open: a close of the connection
// sends ABORT.
// - A thread may still be in a write when its subscriber cancels the write and begins another one. So the lock guards
// the buffer, and each write has a turn: from the beginning of the next one on it puts no byte and ends nothing.
// - The end of the connection sets `dropped`, and gives the buffer back. No buffer is kept after that.
// - `total` is the number of messages once the stream has ended. The thread that finds `arrived` equal to it completes
// `delivered`.

/**
 * Output of a byte stream. It collects bytes in a send buffer, which it sends when it is full or pushed. The write that
 * began last is the one in progress.
 */
public final class ByteOutput extends MessageStream {
    private final Endpoint endpoint;
    private final int messageSize;
    private final ReentrantLock lock = new ReentrantLock(); // held for one copy of at most a message
    private final AtomicLong arrived = new AtomicLong();
    private final CompletableFuture<Void> delivered = new CompletableFuture<>();
    private @Nullable RegisteredBuffer filling; // (lock)
    private int filled; // (lock) 0 while there is no buffer
    private long turn; // (lock)
    private long posted; // (lock)
    private boolean dropped; // (lock)
    private volatile boolean ended; // (lock) writes
    private volatile long total = -1;
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
        lock.lock();
        try {
            dropped = true;
            if (filling != null) {
                filling.close();
                filling = null;
            }
        } finally {
            lock.unlock();
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
     * Begins a write or an end. It takes the place of an earlier one, which may still be in progress although it was
     * cancelled.
     *
     * @return turn of the write
     */
    public long begin() {
        lock.lock();
        try {
            return ++turn;
        } finally {
            lock.unlock();
        }
    }

    private void require(long of) {
        requireOpen();
        if (of != turn) {
            throw new IllegalStateException("a later write to the stream has begun: let one write at a time");
        }
    }

    private boolean hasBuffer() {
        if (filling == null && !dropped) {
            filling = endpoint.sendBuffers().tryAcquireExclusive();
        }
        return filling != null;
    }

    /**
     * Gives the stream a buffer to fill.
     *
     * @param buffer of the endpoint's send buffers; owned by the stream from now on
     */
    public void fill(RegisteredBuffer buffer) {
        lock.lock();
        try {
            if (dropped || filling != null) {
                buffer.close();
            } else {
                filling = buffer;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts bytes into the buffer, and sends it when it is full.
     *
     * @param of turn of the write
     * @param writer puts bytes from the position on, up to the limit
     * @return false if nothing was put, because a buffer has to be acquired and {@link #fill filled}
     * @throws RuntimeException as {@link #requireOpen} and {@link Endpoint#submit} do
     * @throws IllegalStateException also if a later write has begun
     */
    public boolean put(long of, Consumer<ByteBuffer> writer) {
        lock.lock();
        try {
            require(of);
            if (!hasBuffer()) {
                return false;
            }
            RegisteredBuffer buffer = Objects.requireNonNull(filling);
            int most = Math.min(messageSize, buffer.capacity());
            beginOnce(); // a close of the connection must find that the bytes are not sent
            ByteBuffer room =
                    buffer.segment().asSlice(filled, (long) most - filled).asByteBuffer();
            writer.accept(room);
            filled += room.position();
            if (filled == most) {
                push();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts as many bytes as fit, and moves the position of their buffer behind them.
     *
     * @param of turn of the write
     * @param source bytes from the position to the limit
     * @return as {@link #put(long, Consumer)}
     */
    public boolean put(long of, ByteBuffer source) {
        return put(of, room -> {
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
        lock.lock();
        try {
            if (filled > 0) {
                post();
            }
        } finally {
            lock.unlock();
        }
    }

    private void post() {
        RegisteredBuffer message = filling;
        int length = filled;
        filling = null;
        filled = 0;
        if (message == null) { // the connection has ended meanwhile
            return;
        }
        posted++;
        try {
            send(message.limit(length));
        } catch (RuntimeException e) {
            failed(e);
            throw e;
        }
    }

    /**
     * Sends the bytes that were put, and the end of the stream. A call after the end does nothing.
     *
     * @param of turn of the end
     * @return false if the end was not sent, because a buffer has to be acquired and {@link #fill filled}
     * @throws RuntimeException as {@link #put(long, Consumer)}
     */
    public boolean end(long of) {
        lock.lock();
        try {
            if (ended) {
                return true;
            }
            require(of);
            push();
            if (!hasBuffer()) {
                return false;
            }
            ended = true;
            post();
            total = posted;
            endIfDelivered();
            return true;
        } finally {
            lock.unlock();
        }
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
