package io.rdma.internal.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.RdmaException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - A lease of a pool buffer is exclusive. The stream reuses the operation of a buffer whenever it gets that buffer
// again, so a message makes no garbage. An operation is not touched once its buffer may be leased again.
// - An abandoned stream submits nothing more. abandonAll() sets the flag and then reads the operations; a send stores
// its operation where abandonAll() finds it, and then reads the flag. So one of the two abandons the operation. The
// poster reads the flag, too, so no message is posted behind one that was abandoned: the peer gets no gap.
// - Small messages that are added collect in the open batch, whose buffer the stream holds until a flush. It may stay
// open while the stream is not idle. A batch that is kept open has other requests of the stream before it: the end of
// each of those makes the front-end flush again.
// - Once a submit has begun, the submit or the end of the operation closes the message. An abandon before the operation
// is submitted only sets a flag.

/**
 * Stream of messages for which one caller waits, as for {@code send(stream)} of a front-end. It knows the messages in
 * flight, so that a cancel or a failure ends all of them. A front-end subclasses it.
 */
public abstract class MessageStream {
    private static final int BUSY = 4;

    private static final int NEW = 0;
    private static final int BEGUN = 1;
    private static final int ENDED = 2;

    private final Submitter submitter;
    private final OpenStreams streams;
    private final AtomicReferenceArray<@Nullable Sent> pooled; // by the buffer's place in the pool
    private final Set<Sent> own = ConcurrentHashMap.newKeySet(1); // of messages with separate memory
    private final AtomicInteger phase = new AtomicInteger(NEW);
    private final AtomicInteger sending = new AtomicInteger(); // requests that were submitted and have not ended
    private final MessageBatch batch; // (sender)
    private @Nullable RegisteredBuffer open; // (sender) buffer of the batch
    private volatile boolean sharing; // (sender) writes
    private boolean begun; // (sender)
    private volatile boolean abandoned;
    private volatile boolean broken; // (poster) a message was refused: none behind it is posted

    /**
     * Creates a stream.
     *
     * @param endpoint endpoint that sends the messages
     */
    protected MessageStream(Endpoint endpoint) {
        this(
                endpoint,
                endpoint.sendBuffers().count(),
                endpoint.openStreams(),
                endpoint.options().batchBytes());
    }

    MessageStream(Submitter submitter, int buffers) {
        this(submitter, buffers, new OpenStreams(() -> false), 0);
    }

    private MessageStream(Submitter submitter, int buffers, OpenStreams streams, int batchBytes) {
        this.submitter = submitter;
        this.streams = streams;
        batch = new MessageBatch(batchBytes);
        pooled = new AtomicReferenceArray<>(buffers);
    }

    /**
     * Handles the delivery of messages to the peer's device: there is room for as many others, and a {@link #flush} is
     * due. Runs on the completion loop, or on a thread of its own for a message that the peer had to fetch; must not
     * block.
     *
     * @param messages their number: those that shared a SEND
     */
    protected abstract void sent(int messages);

    /**
     * Handles the failure of a message, perhaps one of several. Not called after {@link #abandonAll}. Threads as for
     * {@link Operation#failed}.
     *
     * @param error as for {@link Operation#failed}
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Limits a buffer to the message that an encoder wrote into it.
     *
     * @param encoded result of the encoder: length of the message in bytes. If the message is longer than the buffer:
     *     the length that it needs, negated
     * @param buffer passed to the encoder
     * @return 0 if the buffer has the message, otherwise the length that the message needs
     * @throws IllegalArgumentException if the message would end behind the buffer
     * @throws IllegalStateException if the message needs no more than the buffer has
     */
    public static int fit(int encoded, RegisteredBuffer buffer) {
        int capacity = buffer.capacity();
        if (encoded > capacity) {
            throw new IllegalArgumentException(
                    "the encoder reported " + encoded + " bytes, but its buffer has " + capacity);
        }
        if (encoded >= 0) {
            buffer.limit(encoded);
            return 0;
        }
        if (-encoded <= capacity) { // also if -encoded overflowed
            throw new IllegalStateException(
                    "the encoder asked for " + -encoded + " bytes, but its buffer had " + capacity + " already");
        }
        return -encoded;
    }

    /**
     * Checks that an encoder filled a buffer that was allocated for its message.
     *
     * @param encoded result of the encoder
     * @param buffer of the length that the encoder announced
     * @throws IllegalStateException if the message has another length
     */
    public static void requireFilled(int encoded, RegisteredBuffer buffer) {
        if (encoded != buffer.capacity()) {
            throw new IllegalStateException("the encoder announced " + buffer.capacity() + " bytes but wrote " + encoded
                    + ": its length must be exact");
        }
    }

    /**
     * Adds a message, in the order of the calls. If it is small, it is sent by the next {@link #flush}, or when no
     * other fits beside it, together with those that were added meanwhile. Otherwise it is sent now. One caller at a
     * time.
     *
     * @param message as for {@link #send}; not closed if it is returned
     * @return the buffer, from which the message was copied; null if it is in use
     * @throws IllegalArgumentException as for {@link Endpoint#submit}
     */
    protected final @Nullable RegisteredBuffer add(RegisteredBuffer message) {
        int length = message.limit();
        if (abandoned || !batch.isSmall(length)) {
            send(message);
            sharing = false;
            return null;
        }
        if (append(message)) {
            return message;
        }
        try {
            flush();
        } catch (Throwable e) {
            message.close();
            throw e;
        }
        beginOnce(); // a close of the connection must find that the stream is not sent
        batch.begin(length);
        open = message;
        return null;
    }

    /**
     * Copies a message behind those that were added, if there is room for it. Nothing is sent. One caller at a time,
     * the one that adds.
     *
     * @param message open, and remains so
     * @return false if the message has to be {@link #add added}, because it begins another SEND
     */
    protected final boolean append(RegisteredBuffer message) {
        RegisteredBuffer before = open;
        int length = message.limit();
        if (before == null || abandoned || !batch.isSmall(length) || !batch.fits(length)) {
            return false;
        }
        batch.copy(message.address(), length, before.address());
        if (!sharing) { // a volatile write for each message would be expensive
            sharing = true;
        }
        return true;
    }

    /**
     * Returns whether the messages share SENDs. Any thread.
     *
     * @return true from the first message that joins another until one has a SEND of its own
     */
    protected final boolean isSharing() {
        return sharing;
    }

    /**
     * Sends the messages that were added and not sent. One caller at a time, the one that adds.
     *
     * @throws RuntimeException as {@link Endpoint#submit} does; the messages were not sent then, and {@link #failed}
     *     was called
     */
    protected final void flush() {
        RegisteredBuffer buffer = open;
        if (buffer != null) {
            open = null;
            try {
                batch.finish(buffer);
                submit(buffer, batch.messages());
            } catch (Throwable e) { // the messages were accepted: their stream must not count as sent
                buffer.close();
                failed(e instanceof RuntimeException error ? error : new RdmaException("a send failed: " + e, e));
                throw e;
            }
        }
    }

    /**
     * Returns whether messages wait for a {@link #flush}. For the thread that adds.
     *
     * @return true if a batch is open
     */
    protected final boolean hasOpenBatch() {
        return open != null;
    }

    /**
     * Returns whether no request of this stream is in flight. Any thread.
     *
     * @return false if the end of a request follows, see {@link #sent}
     */
    protected final boolean isIdle() {
        return sending.get() == 0;
    }

    /**
     * Returns whether several requests of this stream are in flight. Any thread.
     *
     * @return true if a message that is sent now would not arrive much sooner than one sent at the end of a request
     */
    protected final boolean isBusy() {
        return sending.get() >= BUSY;
    }

    /**
     * Returns the number of messages in flight that have memory of their own. Any thread.
     *
     * @return at least 0
     */
    protected final int inSeparateMemory() {
        return own.size();
    }

    /**
     * Sends a message, in the order of the calls, after those that were added. One caller at a time.
     *
     * @param message lease of {@link BufferPool#tryAcquireExclusive} of the endpoint's send buffers, or a buffer with
     *     separate memory. The engine closes it when the device is done with it, after success and failure alike. It is
     *     also closed if this method throws; nothing was sent then
     * @throws IllegalArgumentException as for {@link Endpoint#submit}
     */
    public final void send(RegisteredBuffer message) {
        try {
            flush();
            submit(message, 1);
        } catch (Throwable e) { // also an exhausted stack at the entry of a call
            message.close();
            throw e;
        }
    }

    /** Submits a message or a batch. If this throws, it was not submitted, and its buffer is open. */
    private void submit(RegisteredBuffer message, int messages) {
        if (abandoned) {
            message.close();
            return;
        }
        beginOnce();
        Sent operation = null;
        sending.incrementAndGet();
        try {
            operation = operation(message);
            operation.messages = messages;
            submitter.submit(operation);
        } catch (Throwable e) { // misuse, or exhausted stack or memory
            if (operation == null || !operation.isSubmitted()) {
                if (operation != null) {
                    own.remove(operation);
                }
                sending.decrementAndGet();
                throw e;
            } // else the operation ends regularly, and notifies the stream
        }
        if (abandoned) {
            operation.abandonSubmitted();
        }
    }

    /**
     * Submits an operation of the subclass as the next message. The operation ends by its own methods, not by {@link
     * #sent} or {@link #failed}, and {@link #abandonAll} does not reach it.
     *
     * @param message new, or ended
     * @throws RuntimeException as {@link Endpoint#submit} does; nothing was submitted then
     */
    protected final void submit(Operation message) {
        flush();
        beginOnce();
        submitter.submit(message);
    }

    /** Counts the stream as open: a close of the connection before the end of the stream sends ABORT. */
    final void beginOnce() {
        if (begun) {
            return;
        }
        begun = true;
        streams.begun();
        if (!phase.compareAndSet(NEW, BEGUN)) {
            streams.ended();
        }
    }

    /** Counts the stream as ended, because all its messages were delivered. Any thread. */
    protected final void finished() {
        if (phase.getAndSet(ENDED) == BEGUN) {
            streams.ended();
        }
    }

    private Sent operation(RegisteredBuffer message) {
        int place = message.place();
        Sent operation = place < 0 ? null : pooled.getPlain(place);
        if (operation == null) {
            operation = new Sent(this, WorkRequest.send(message, true));
            if (place < 0) {
                own.add(operation);
            } else {
                pooled.set(place, operation);
            }
        } else {
            operation.renew(); // so that a submit that throws can tell that it has not begun
        }
        return operation;
    }

    /** Abandons all messages of the stream. Those that are not posted never will be. Any thread. */
    public final void abandonAll() {
        abandoned = true;
        finished();
        for (int place = 0; place < pooled.length(); place++) {
            Sent operation = pooled.get(place);
            if (operation != null) {
                operation.abandonSubmitted();
            }
        }
        own.forEach(Operation::abandonSubmitted);
    }

    /** Operation of one request or, for a buffer of the pool, of all requests from that buffer. */
    private static final class Sent extends Operation {
        private final MessageStream stream;
        private int messages; // from the submit on

        Sent(MessageStream stream, WorkRequest request) {
            super(request);
            this.stream = stream;
        }

        @Override
        boolean isWithdrawn() {
            return stream.abandoned || stream.broken;
        }

        @Override
        void refused() {
            stream.broken = true;
        }

        @Override
        int messages() {
            return messages;
        }

        @Override
        protected void completed(long value) {
            ended();
            stream.sent(1 + (int) value);
        }

        @Override
        protected void failed(RuntimeException error) {
            ended();
            if (!stream.abandoned) {
                stream.failed(error);
            }
        }

        private void ended() {
            stream.sending.decrementAndGet();
            if (!stream.own.isEmpty()) {
                stream.own.remove(this);
            }
        }
    }
}
