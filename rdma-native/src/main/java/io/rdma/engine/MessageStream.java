package io.rdma.engine;

import io.rdma.buffer.RegisteredBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

// Invariants
// - Each message has a place from its submit to its end; whoever ends it frees the place before it says so.
// - abandonAll() sets the flag first and then looks at the places; a submit takes its place first and then looks at the
// flag: so one of the two abandons what is submitted meanwhile.

/**
 * Many messages for which one caller waits: what a front-end makes of {@code send(stream)}. It knows which are on their way, so that a cancel or a
 * failure ends all of them. A front-end subclasses it.
 */
public abstract class MessageStream {
    private final RdmaEndpoint endpoint;
    private final AtomicReferenceArray<@Nullable Operation> onTheirWay;
    private int hint; // of the thread that sends
    private volatile boolean abandoned;

    /**
     * A stream.
     *
     * @param endpoint where the messages go
     * @param most messages that are on their way at once
     */
    protected MessageStream(RdmaEndpoint endpoint, int most) {
        this.endpoint = endpoint;
        onTheirWay = new AtomicReferenceArray<>(most);
    }

    /**
     * A message was delivered to the peer's device: there is room for another. On the completion loop, or on a thread of its own for one that the peer had to
     * fetch; must not block.
     */
    protected abstract void sent();

    /**
     * A message failed, perhaps one of several; not called after {@link #abandonAll}. Threads as for {@link #sent}.
     *
     * @param error as of {@link Operation#failed}
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Sends a message, in the order of the calls. One caller at a time, and never more on their way than agreed on.
     *
     * @param message closed by the engine when the device is done with it, however that is; also if this throws
     * @throws IllegalArgumentException as for {@link RdmaEndpoint#submit}
     */
    public final void send(RegisteredBuffer message) {
        int place = free();
        Sent operation = new Sent(this, place, WorkRequest.send(message, true));
        onTheirWay.set(place, operation);
        if (abandoned && operation.abandon()) {
            onTheirWay.set(place, null);
            return;
        }
        try {
            endpoint.submit(operation);
        } catch (RuntimeException misuse) {
            onTheirWay.set(place, null);
            operation.abandon(); // closes the message, unless a cancel did
            throw misuse;
        }
    }

    private int free() {
        int length = onTheirWay.length();
        for (int i = 0; i < length; i++) {
            int place = hint;
            hint = place + 1 == length ? 0 : place + 1;
            if (onTheirWay.get(place) == null) {
                return place;
            }
        }
        throw new IllegalStateException("more than " + length + " messages are on their way: wait until some are sent");
    }

    /** Ends the interest in everything that is on its way; what is not posted never will be. Any thread. */
    public final void abandonAll() {
        abandoned = true;
        for (int place = 0; place < onTheirWay.length(); place++) {
            Operation operation = onTheirWay.getAndSet(place, null);
            if (operation != null) {
                operation.abandon();
            }
        }
    }

    /** One message. */
    private static final class Sent extends Operation {
        private final MessageStream stream;
        private final int place;

        Sent(MessageStream stream, int place, WorkRequest request) {
            super(request);
            this.stream = stream;
            this.place = place;
        }

        @Override
        protected void completed(long value) {
            stream.onTheirWay.setRelease(place, null);
            stream.sent();
        }

        @Override
        protected void failed(RuntimeException error) {
            stream.onTheirWay.setRelease(place, null);
            if (!stream.abandoned) {
                stream.failed(error);
            }
        }
    }
}
