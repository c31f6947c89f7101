package io.rdma.buffer;

import io.rdma.internal.os.StackRoom;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - The thread that moves the state from OPEN to CLOSED gives the buffer back: once for each time the handle is opened.
// - A message that is LENT shares its buffer with others that its consumer has still to take. Its close changes only
// the state: the consumer counts it before it takes the next one, which saves an atomic instruction for each. Or the
// consumer moves a message that stays open on to OPEN. So the consumer needs no atomic instruction to close it.
// - Only the handles of a MessageLender or a BatchLender are opened again, only by the consumer that has the receive
// buffer, and never while they are open.

/**
 * A message in the receive buffer in which it arrived. The buffer is posted again after {@link #close}, or, if small
 * messages share it, after the close of the last one. Until then the peer has one buffer less to send into, which is
 * the back-pressure. A {@code WRITE_WITH_IMM} of the peer is a message without bytes and with immediate data.
 */
public sealed class ReceivedMessage implements AutoCloseable permits ReceivedDatagram {
    private static final int OPEN = 0;
    private static final int CLOSED = 1;
    private static final int LENT = 2;

    // A field updater instead of an AtomicInteger saves one object per message.
    private static final AtomicIntegerFieldUpdater<ReceivedMessage> STATE =
            AtomicIntegerFieldUpdater.newUpdater(ReceivedMessage.class, "state");

    private final IntConsumer giveBack;
    private int place;
    private final LeakDetector.@Nullable Trace trace;
    private MemorySegment memory; // where the message is
    private int offset; // of the message; not 0 only where it shares the memory
    private int length;
    private boolean shares; // the memory behind it may be that of another message
    private @Nullable MemorySegment exact; // made on demand
    private boolean hasImmediate;
    private boolean hasInvalidatedKey;
    private int data; // the immediate data, or the key: never both
    private volatile int state; // OPEN

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
        this.exact = exact(memory, length);
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
        this.state = CLOSED;
    }

    void open(MemorySegment memory, int length, boolean hasImmediate, boolean hasInvalidatedKey, int data) {
        if (this.memory != memory || this.length != length) {
            this.memory = memory;
            this.length = length;
            exact = exact(memory, length);
        }
        this.hasImmediate = hasImmediate;
        this.hasInvalidatedKey = hasInvalidatedKey;
        this.data = data;
        STATE.lazySet(this, OPEN); // last: publishes the fields above
    }

    /** Opens the handle for the only message in a receive buffer, which need not be that of the message before. */
    void openAt(
            int at,
            MemorySegment segment,
            int bytes,
            boolean withImmediate,
            boolean withInvalidatedKey,
            int immediateOrKey) {
        place = at;
        offset = 0;
        if (shares) {
            shares = false;
            exact = exact(segment, bytes);
        }
        open(segment, bytes, withImmediate, withInvalidatedKey, immediateOrKey);
    }

    /**
     * Opens the handle for a message that shares its memory with others.
     *
     * @param lent whether it is not the last one to be taken, see the invariants
     */
    void openShared(MemorySegment memory, int offset, int length, int place, boolean lent) {
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.place = place;
        shares = true;
        exact = null;
        hasImmediate = false;
        hasInvalidatedKey = false;
        STATE.lazySet(this, lent ? LENT : OPEN);
    }

    /** Lets the close of a message that was lent give its buffer back. Returns false if it is closed already. */
    boolean keep() {
        return state == LENT && STATE.compareAndSet(this, LENT, OPEN);
    }

    /**
     * Closes a message that is LENT. For its consumer, the only thread that moves it on to another state than CLOSED.
     *
     * @return false if it is not LENT, and nothing changed
     */
    boolean closeLent() {
        if (state != LENT) {
            return false;
        }
        STATE.lazySet(this, CLOSED); // by another close meanwhile it is CLOSED, too
        return true;
    }

    private static @Nullable MemorySegment exact(MemorySegment memory, int length) {
        return memory.byteSize() == length ? memory : null;
    }

    /**
     * Returns the bytes, which are valid until {@link #close}.
     *
     * @return exactly as long as the message
     * @throws IllegalStateException if closed
     */
    public final MemorySegment segment() {
        if (state == CLOSED) {
            throw new IllegalStateException(
                    "message is closed, its buffer belongs to the device again: read or copy it before close()");
        }
        MemorySegment made = exact;
        if (made == null) {
            made = memory.asSlice(offset, length);
            if (!shares) { // else it is used for a call only, and the compiler may leave out the object
                exact = made;
            }
        }
        return made;
    }

    /**
     * Returns the address of the first byte. The memory there belongs to the message until {@link #close}.
     *
     * @return address
     */
    public final long address() {
        return memory.address() + offset;
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
     * Small messages that the peer sent together have one receive buffer, and so the same index. Otherwise there is no
     * other message with the same index until {@link #close}.
     *
     * @return at least 0
     */
    public final int place() {
        return place;
    }

    /**
     * Returns the size of the memory that belongs to the message until {@link #close}: the rest of a receive buffer may
     * be free, or belong to other messages.
     *
     * @return bytes, at least {@link #length}
     */
    public final int capacity() {
        return shares ? length : (int) memory.byteSize();
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
        return state == CLOSED;
    }

    /**
     * Gives the buffer back, which is then posted again. A second call does nothing. Any thread.
     *
     * @throws StackOverflowError if the caller's stack is nearly full; the message is open then
     */
    @Override
    public final void close() {
        if (state == LENT && STATE.compareAndSet(this, LENT, CLOSED)) {
            return;
        }
        StackRoom.require(StackRoom.SUBMIT); // it may post, for other threads too
        int from = place; // read first: a lender may open the handle for another message as soon as it is closed
        if (STATE.compareAndSet(this, OPEN, CLOSED)) {
            if (trace != null) {
                trace.close();
            }
            giveBack.accept(from);
        }
    }
}
