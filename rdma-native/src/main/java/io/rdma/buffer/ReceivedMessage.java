package io.rdma.buffer;

import io.rdma.internal.os.StackRoom;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - The thread that sets `closed` to 1 gives the buffer back: once for each time the handle is opened.
// - Only the handle of a MessageLender is opened again, only by the consumer that has its receive buffer, and never
// while it is open.

/**
 * A message in the receive buffer in which it arrived. The buffer is posted again after {@link #close}. Until then the
 * peer has one buffer less to send into, which is the back-pressure. A {@code WRITE_WITH_IMM} of the peer is a message
 * without bytes and with immediate data.
 */
public sealed class ReceivedMessage implements AutoCloseable permits ReceivedDatagram {
    // A field updater instead of an AtomicBoolean saves one object per message.
    private static final AtomicIntegerFieldUpdater<ReceivedMessage> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(ReceivedMessage.class, "closed");

    private final IntConsumer giveBack;
    private final int place;
    private final LeakDetector.@Nullable Trace trace;
    private MemorySegment memory; // the message is its first bytes
    private int length;
    private @Nullable MemorySegment exact; // made on demand
    private boolean hasImmediate;
    private boolean hasInvalidatedKey;
    private int data; // the immediate data, or the key: never both
    private volatile int closed; // 0 or 1

    /**
     * Creates a message that was not sent with invalidate; called by the engine.
     *
     * @param memory the bytes that arrived
     * @param hasImmediate whether the peer sent immediate data
     * @param immediate the data, host order
     * @param giveBack runs once, at close, with the place
     * @param place of its receive buffer
     */
    public ReceivedMessage(MemorySegment memory, boolean hasImmediate, int immediate, IntConsumer giveBack, int place) {
        this(memory, (int) memory.byteSize(), hasImmediate, false, immediate, giveBack, place);
    }

    /**
     * Creates a message; called by the engine.
     *
     * @param memory where the message arrived; its first bytes are the message
     * @param length of the message
     * @param hasImmediate whether the peer sent immediate data
     * @param hasInvalidatedKey whether the peer sent with invalidate
     * @param data the immediate data in host order, or the key
     * @param giveBack runs once, at close, with the place
     * @param place of its receive buffer
     */
    public ReceivedMessage(
            MemorySegment memory,
            int length,
            boolean hasImmediate,
            boolean hasInvalidatedKey,
            int data,
            IntConsumer giveBack,
            int place) {
        this.memory = memory;
        this.length = length;
        this.hasImmediate = hasImmediate;
        this.hasInvalidatedKey = hasInvalidatedKey;
        this.data = data;
        this.giveBack = giveBack;
        this.place = place;
        this.trace = LeakDetector.watch(this, "a received message");
    }

    /**
     * Creates a closed handle, to be {@link #open opened} for each message in a receive buffer. The code that opens it
     * also closes it, so it is not watched.
     */
    ReceivedMessage(IntConsumer giveBack, int place) {
        this.memory = MemorySegment.NULL;
        this.giveBack = giveBack;
        this.place = place;
        this.trace = null;
        this.closed = 1;
    }

    void open(MemorySegment memory, int length, boolean hasImmediate, boolean hasInvalidatedKey, int data) {
        if (this.memory != memory || this.length != length) {
            this.memory = memory;
            this.length = length;
            exact = null;
        }
        this.hasImmediate = hasImmediate;
        this.hasInvalidatedKey = hasInvalidatedKey;
        this.data = data;
        CLOSED.lazySet(this, 0); // last: publishes the fields above
    }

    /**
     * Returns the bytes, which are valid until {@link #close}.
     *
     * @return exactly as long as the message
     * @throws IllegalStateException if closed
     */
    public final MemorySegment segment() {
        if (closed != 0) {
            throw new IllegalStateException(
                    "message is closed, its buffer belongs to the device again: read or copy it before close()");
        }
        MemorySegment made = exact;
        if (made == null) {
            made = memory.asSlice(0, length);
            exact = made;
        }
        return made;
    }

    /**
     * Returns the length of the message.
     *
     * @return bytes
     */
    public final int length() {
        return length;
    }

    /**
     * Returns the index of its receive buffer among those of the connection, or of the connections that share them.
     * There is no other message with the same index until {@link #close}.
     *
     * @return at least 0
     */
    public final int place() {
        return place;
    }

    /**
     * Copies the bytes.
     *
     * @return a copy on the heap, valid for ever
     */
    public final byte[] toByteArray() {
        return segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    /**
     * Returns whether the peer sent immediate data.
     *
     * @return true for SEND_WITH_IMM and WRITE_WITH_IMM
     */
    public final boolean hasImmediate() {
        return hasImmediate;
    }

    /**
     * Returns the immediate data.
     *
     * @return 4 bytes in host order
     * @throws IllegalStateException if there is none
     */
    public final int immediate() {
        if (!hasImmediate) {
            throw new IllegalStateException("message carries no immediate data: check hasImmediate() first");
        }
        return data;
    }

    /**
     * Returns whether the peer sent it with invalidate, {@code IBV_WC_WITH_INV} in {@code ibv_poll_cq(3)}.
     *
     * @return true for SEND_WITH_INV; false on devices that do not report it, {@code rdma_rxe} of Linux 6.1 among them
     */
    public final boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    /**
     * Returns the remote key of this side that the peer invalidated, {@code invalidated_rkey} in {@code
     * ibv_poll_cq(3)}. No request can use it any more, and the memory window that had it can be closed.
     *
     * @return the {@code rkey()} of the memory that was given to the peer
     * @throws IllegalStateException if there is none
     */
    public final int invalidatedKey() {
        if (!hasInvalidatedKey) {
            throw new IllegalStateException("message was not sent with invalidate: check hasInvalidatedKey() first");
        }
        return data;
    }

    /**
     * Returns whether the message was closed.
     *
     * @return true if so
     */
    public final boolean isClosed() {
        return closed != 0;
    }

    /**
     * Gives the buffer back, which is then posted again. A second call does nothing. Any thread.
     *
     * @throws StackOverflowError if the caller's stack is nearly full; the message is open then
     */
    @Override
    public final void close() {
        StackRoom.require(StackRoom.SUBMIT); // it may post, for other threads too
        if (CLOSED.compareAndSet(this, 0, 1)) {
            if (trace != null) {
                trace.close();
            }
            giveBack.accept(place);
        }
    }
}
