package io.rdma.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - A buffer of the pool is exclusive, and its message's operation is used again whenever the stream gets that buffer
// again: so a message makes no garbage. Nobody touches an operation once its buffer may be out again.
// - An abandoned stream submits nothing more. abandonAll() sets the flag and then looks at the operations; a submit
// leaves its operation where abandonAll() finds it and then looks at the flag: one of the two abandons it.
// - Once a submit has begun it is the submit, or the end, that closes the message: an abandon of what is not submitted
// yet only says so.

/**
 * Many messages for which one caller waits: what a front-end makes of {@code send(stream)}. It knows which are on their
 * way, so that a cancel or a failure ends all of them. A front-end subclasses it.
 */
public abstract class MessageStream {
    private static final int NEW = 0;
    private static final int BEGUN = 1;
    private static final int ENDED = 2;

    private final Submitter submitter;
    private final AtomicInteger open; // streams of the connection that have begun and not ended
    private final AtomicReferenceArray<@Nullable Sent> pooled; // by the place of the buffer
    private final Set<Sent> own = ConcurrentHashMap.newKeySet(1); // of messages with memory of their own
    private final AtomicInteger phase = new AtomicInteger(NEW);
    private boolean begun; // by who sends
    private volatile boolean abandoned;

    /**
     * A stream.
     *
     * @param endpoint where the messages go
     */
    protected MessageStream(RdmaEndpoint endpoint) {
        this(endpoint, endpoint.sendBuffers().count(), endpoint.openStreams());
    }

    MessageStream(Submitter submitter, int buffers) {
        this(submitter, buffers, new AtomicInteger());
    }

    private MessageStream(Submitter submitter, int buffers, AtomicInteger open) {
        this.submitter = submitter;
        this.open = open;
        pooled = new AtomicReferenceArray<>(buffers);
    }

    /**
     * A message was delivered to the peer's device: there is room for another. On the completion loop, or on a thread
     * of its own for one that the peer had to fetch; must not block.
     */
    protected abstract void sent();

    /**
     * A message failed, perhaps one of several; not called after {@link #abandonAll}. Threads as for {@link #sent}.
     *
     * @param error as of {@link Operation#failed}
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Sends a message, in the order of the calls. One caller at a time.
     *
     * @param message of {@link BufferPool#tryAcquireExclusive} of the endpoint's send buffers, or with memory of its
     *     own; closed by the engine when the device is done with it, however that is; also if this throws, and then
     *     nothing was sent
     * @throws IllegalArgumentException as for {@link RdmaEndpoint#submit}
     */
    public final void send(RegisteredBuffer message) {
        if (abandoned) {
            message.close();
            return;
        }
        if (!begun) {
            begun = true;
            begin();
        }
        Sent operation = operation(message);
        try {
            submitter.submit(operation);
        } catch (Throwable e) { // misuse; or no stack, or memory, is left
            if (!operation.isSubmitted()) {
                own.remove(operation);
                message.close();
                throw e;
            } // else the operation ends by itself, and the stream hears of it
        }
        if (abandoned) {
            operation.abandonSubmitted();
        }
    }

    /** A connection that is closed from here on, before the stream has ended, tells the peer that it is cut. */
    private void begin() {
        open.incrementAndGet();
        if (!phase.compareAndSet(NEW, BEGUN)) {
            open.decrementAndGet();
        }
    }

    /** The stream has ended: all its messages were delivered. Any thread. */
    protected final void finished() {
        if (phase.getAndSet(ENDED) == BEGUN) {
            open.decrementAndGet();
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
        }
        return operation;
    }

    /** Ends the interest in everything that is on its way; what is not posted never will be. Any thread. */
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

    /** A message; of a buffer of the pool, all messages in that buffer. */
    private static final class Sent extends Operation {
        private final MessageStream stream;

        Sent(MessageStream stream, WorkRequest request) {
            super(request);
            this.stream = stream;
        }

        @Override
        protected void completed(long value) {
            ended();
            stream.sent();
        }

        @Override
        protected void failed(RuntimeException error) {
            ended();
            if (!stream.abandoned) {
                stream.failed(error);
            }
        }

        private void ended() {
            if (!stream.own.isEmpty()) {
                stream.own.remove(this);
            }
        }
    }
}
