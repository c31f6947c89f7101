package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.ReceiveQueue;
import io.rdma.internal.os.StackRoom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
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
        Function<ReceivedMessage, T> closing = message -> {
            T item = decoder.apply(message);
            message.close();
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
        try {
            actual.onSubscribe(receiving);
        } catch (Throwable e) { // the next receiver must not wait for this one
            receiving.cancelled = true;
            throw e;
        } finally {
            receiving.begin();
        }
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

    // Invariants: only the thread that takes `wip` from 0 polls the queue and signals. It releases its claim when it
    // sees the end, so the next subscriber never polls at the same time.
    static final class Receiving<T> implements Subscription, Scannable {
        private final Inbound inbound;
        private final Function<? super ReceivedMessage, ? extends T> mapper;
        private final boolean lent;
        private final CoreSubscriber<? super T> actual;
        private final AtomicInteger wip = new AtomicInteger(1); // until onSubscribe has returned
        private final AtomicLong requested = new AtomicLong();
        private volatile boolean cancelled;
        private volatile boolean ended; // (drainer) writes

        Receiving(
                Inbound inbound,
                Function<? super ReceivedMessage, ? extends T> mapper,
                boolean lent,
                CoreSubscriber<? super T> actual) {
            this.inbound = inbound;
            this.mapper = mapper;
            this.lent = lent;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            StackRoom.require(StackRoom.SIGNAL);
            if (n <= 0) {
                invalid(n);
            } else {
                requested.accumulateAndGet(n, (now, more) -> now + more < 0 ? Long.MAX_VALUE : now + more);
                drain();
            }
        }

        /**
         * Argument of a request that is not positive, which is an error signal to the subscriber (Reactive Streams
         * 3.9); else 0.
         */
        private volatile long invalidRequest;

        private void invalid(long n) {
            invalidRequest = n == 0 ? Long.MIN_VALUE : n;
            drain();
        }

        @Override
        public void cancel() {
            cancelled = true; // first: the next signal ends it, if this call has no room for that
            StackRoom.require(StackRoom.SIGNAL);
            drain();
        }

        void drain() {
            if (wip.getAndIncrement() == 0) {
                begin();
            }
        }

        /** Drains the queue. The caller has taken {@code wip}. */
        void begin() {
            int missed = 1;
            do {
                try {
                    if (!ended) {
                        emit();
                    }
                } catch (Throwable e) {
                    endDuringDrain(e);
                }
                missed = wip.addAndGet(-missed);
            } while (missed != 0);
        }

        /**
         * Ends the subscription with an exception, so that the next receiver does not wait for this one. A subscriber
         * that threw the exception has already ended, and is not signalled again.
         */
        private void endDuringDrain(Throwable error) {
            boolean told = ended;
            end();
            cancelled = true;
            if (told) {
                Operators.onErrorDropped(error, actual.currentContext());
            } else {
                actual.onError(error);
            }
        }

        boolean isCancelled() {
            return cancelled;
        }

        private void emit() {
            if (!cancelled && !inbound.isReceiver(this)) {
                return; // the previous receiver still polls
            }
            ReceiveQueue queue = inbound.queue();
            long emitted = 0;
            while (true) {
                if (cancelled) {
                    end();
                    return;
                }
                if (invalidRequest != 0) {
                    end();
                    actual.onError(OperatorErrors.ofRequest(invalidRequest));
                    return;
                }
                boolean terminated = queue.isTerminated(); // read first: messages before the end are delivered
                if (terminated && inbound.isDisposed()) {
                    queue.discard();
                }
                ReceivedMessage message = emitted < requested.get() ? next(queue) : null;
                if (message == null) {
                    if (terminated && queue.isEmpty()) {
                        end();
                        inbound.signalEnd(actual);
                        return;
                    }
                    break;
                }
                emitted++;
                deliver(message);
            }
            if (emitted > 0 && requested.get() != Long.MAX_VALUE) {
                requested.addAndGet(-emitted);
            }
        }

        private @Nullable ReceivedMessage next(ReceiveQueue queue) {
            return lent ? queue.lend() : queue.poll();
        }

        private void deliver(ReceivedMessage message) {
            T item;
            try {
                item = java.util.Objects.requireNonNull(mapper.apply(message), "the decoder returned null");
            } catch (Throwable e) { // the decoder is application code: on any exception the message is closed
                try {
                    message.close();
                } finally {
                    end();
                    cancelled = true;
                    actual.onError(OperatorErrors.of(null, e, null, actual.currentContext()));
                }
                return;
            }
            try {
                actual.onNext(item);
            } catch (Throwable e) { // a violation, or fatal: the next receiver must not wait for this one
                cancelled = true;
                end();
                throw e;
            }
        }

        private void end() {
            if (!ended) {
                ended = true;
                inbound.unclaim(this);
            }
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
                return requested.get();
            }
            if (key == Attr.CANCELLED) {
                return cancelled;
            }
            return key == Attr.TERMINATED ? ended && !cancelled : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }
}
