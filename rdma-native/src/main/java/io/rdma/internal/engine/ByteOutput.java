package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.RdmaException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - The end of the stream is an empty message, as in rdma-netty. No other message is empty, and nothing follows it.
// - From the first byte until the peer's device has that message, the stream counts as open: a close of the connection
// sends ABORT.
// - A thread may still be in a write when its subscriber cancels the write and begins another one. So the lock guards
// the buffer. Each write has a turn, which ends when the next write begins. After its turn a write puts no bytes, sends
// no end, and gives back a buffer that it gets: the next write may be waiting for it. Calls of end() share a turn.
// - A submit is under the lock, for the order of messages. It may post for other threads, and the loop waits for it at
// the end of the connection. The end of the delivery or of a lease runs code of other callers, so it follows the
// unlock. Only a message that is refused is given back under the lock.
// - The end of the connection sets `dropped`, and gives the buffer back. No buffer is kept after that.
// - Bytes that were put and cannot be submitted fail the delivery, whatever was thrown: nothing is sent behind the gap.

/** Output of a byte stream. It collects bytes in a send buffer, which it sends when it is full or pushed. */
public final class ByteOutput extends MessageStream {
    private final Endpoint endpoint;
    private final int messageSize;
    private final ReentrantLock lock = new ReentrantLock(); // held for the copy and the submit of a message
    private final StreamDelivery delivery = new StreamDelivery(this::finished);
    private @Nullable RegisteredBuffer filling; // (lock)
    private int filled; // (lock) 0 while there is no buffer
    private long turn; // (lock)
    private boolean ending; // (lock) the turn is that of an end
    private long posted; // (lock)
    private boolean dropped; // (lock)
    private volatile boolean ended; // (lock) writes

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
        dropped = true;
        RegisteredBuffer unsent = filling;
        filling = null;
        filled = 0;
        lock.unlock();
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
        RuntimeException error = delivery.failure();
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
     * Begins a write, in place of an earlier write or end, which may still be in progress although it was cancelled.
     *
     * @return turn of the write
     */
    public long begin() {
        return begin(false);
    }

    /**
     * Begins an end, in place of an earlier write, or joins the end in progress.
     *
     * @return turn of the end
     */
    public long beginEnd() {
        return begin(true);
    }

    private long begin(boolean end) {
        lock.lock();
        try {
            turn += end && ending ? 0 : 1;
            ending = end;
            return turn;
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
     * Gives a write or an end a buffer to fill. If it comes too late, the pool gets it back. An end is sent in it at
     * once: another call of the same end may wait for the only buffer.
     *
     * @param of turn of the write or end
     * @param buffer of the endpoint's send buffers; owned by the stream from now on
     * @throws RuntimeException for an end, as {@link Endpoint#submit} does
     */
    public void fill(long of, RegisteredBuffer buffer) {
        boolean kept;
        lock.lock();
        try {
            kept = of == turn && filling == null && !ended && !dropped && delivery.failure() == null;
            if (kept) {
                filling = buffer;
                if (ending) {
                    sendEnd();
                }
            }
        } finally {
            unlock();
        }
        if (!kept) {
            buffer.close();
        }
    }

    private void unlock() {
        lock.unlock();
        completeDelivered();
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
        StackRoom.require(StackRoom.CLOSE);
        lock.lock();
        try {
            require(of);
            if (!hasBuffer()) {
                return false;
            }
            RegisteredBuffer buffer = Objects.requireNonNull(filling);
            beginOnce(); // a close of the connection must find that the bytes are not sent
            ByteBuffer room = buffer.segment()
                    .asSlice(filled, (long) messageSize - filled)
                    .asByteBuffer();
            writer.accept(room);
            filled += room.position();
            if (filled == messageSize) {
                post();
            }
            return true;
        } finally {
            unlock();
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
        StackRoom.require(StackRoom.CLOSE);
        lock.lock();
        try {
            if (filled > 0) {
                post();
            }
        } finally {
            unlock();
        }
    }

    private void post() {
        RegisteredBuffer message = Objects.requireNonNull(filling);
        int length = filled;
        filling = null;
        filled = 0;
        posted++;
        try {
            send(message.limit(length));
        } catch (Throwable e) { // the bytes were accepted: none may follow them
            delivery.failed(e instanceof RuntimeException error ? error : new RdmaException("a send failed: " + e, e));
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
        StackRoom.require(StackRoom.CLOSE);
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
            sendEnd();
            return true;
        } finally {
            unlock();
        }
    }

    private void sendEnd() {
        ended = true;
        post();
        delivery.ended(posted);
    }

    /**
     * Returns a future that completes when the peer's device has all bytes and the end, or with the error by which it
     * will not get them.
     *
     * @return a future of this caller's own, which it may cancel
     */
    public CompletableFuture<Void> delivered() {
        return delivery.future();
    }

    private void completeDelivered() {
        if (!lock.isHeldByCurrentThread()) { // else unlock() does it
            delivery.complete();
        }
    }

    @Override
    protected void sent(int messages) {
        delivery.arrived(messages);
        completeDelivered();
    }

    @Override
    protected void failed(RuntimeException error) {
        delivery.failed(error);
        completeDelivered();
    }
}
