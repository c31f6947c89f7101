package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.MessageQueue;
import io.rdma.internal.os.StackRoom;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Flux of the messages of a connection, for one subscriber at a time. A message that is not requested stays in its
 * receive buffer, which slows the peer down.
 */
final class ReceiveFlux<T> extends Flux<T> implements Scannable {
    private final Inbound inbound;
    private final Function<? super ReceivedMessage, ? extends T> mapper;
    private final boolean lent; // if so, the mapper closes the message

    private ReceiveFlux(Inbound inbound, Function<? super ReceivedMessage, ? extends T> mapper, boolean lent) {
        this.inbound = inbound;
        this.mapper = mapper;
        this.lent = lent;
    }

    /** Returns a Flux whose subscriber closes each message. */
    static <T> Flux<T> owned(Inbound inbound, Function<? super ReceivedMessage, ? extends T> mapper) {
        return onAssembly(new ReceiveFlux<>(inbound, mapper, false));
    }

    /**
     * Returns a Flux that decodes each message in its receive buffer, which is posted again when the decoder returns.
     */
    static <T> Flux<T> decoded(Inbound inbound, Function<? super ReceivedMessage, ? extends T> decoder) {
        MessageQueue queue = inbound.queue();
        Function<ReceivedMessage, T> closing = message -> {
            T item = decoder.apply(message);
            queue.close(message);
            return item;
        };
        return onAssembly(new ReceiveFlux<>(inbound, closing, true));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        StackRoom.require(StackRoom.CLOSE); // the subscriber requests meanwhile
        Receiving<T> receiving = new Receiving<>(inbound, mapper, lent, actual);
        if (!inbound.claim(receiving)) {
            Operators.error(
                    actual,
                    new IllegalStateException(
                            "the connection has a receiver already: share its Flux with publish() instead"));
            return;
        }
        receiving.start();
    }

    @Override
    public String stepName() {
        return StepNames.RECEIVE;
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    // Invariant: a subscription releases its claim when it ends, so the next subscriber never polls at the same time.
    static final class Receiving<T> extends DrainedSubscription<ReceivedMessage, T> implements Scannable {
        private final Inbound inbound;
        private final Function<? super ReceivedMessage, ? extends T> mapper;
        private final boolean lent;

        Receiving(
                Inbound inbound,
                Function<? super ReceivedMessage, ? extends T> mapper,
                boolean lent,
                CoreSubscriber<? super T> actual) {
            super(actual);
            this.inbound = inbound;
            this.mapper = mapper;
            this.lent = lent;
        }

        /** Returns false while the previous receiver still polls. */
        @Override
        boolean mayTake() {
            return isCancelled() || inbound.isReceiver(this);
        }

        @Override
        boolean isTerminated() {
            boolean terminated = inbound.queue().isTerminated();
            if (terminated && inbound.isDisposed()) {
                inbound.queue().discard();
            }
            return terminated;
        }

        @Override
        @Nullable
        ReceivedMessage poll() {
            return lent ? inbound.queue().lend() : inbound.queue().poll();
        }

        @Override
        boolean isEmpty() {
            return inbound.queue().isEmpty();
        }

        @Override
        boolean deliver(ReceivedMessage message) {
            T item;
            try {
                item = Objects.requireNonNull(mapper.apply(message), "the decoder returned null");
            } catch (Throwable e) { // the decoder is application code: on any exception the message is closed
                try {
                    message.close();
                } finally {
                    fail(OperatorErrors.of(null, e, null, actual.currentContext()));
                }
                return true;
            }
            return signal(item);
        }

        @Override
        void signalEnd() {
            inbound.signalEnd(actual);
        }

        @Override
        void release() {
            inbound.unclaim(this);
        }

        @Override
        public String stepName() {
            return StepNames.RECEIVE;
        }

        @Override
        @SuppressWarnings("rawtypes") // Scannable's signature
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            }
            if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
                return requested();
            }
            if (key == Attr.CANCELLED) {
                return isCancelled();
            }
            if (key == Attr.TERMINATED) {
                return hasEnded() && !isCancelled();
            }
            return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }
}
