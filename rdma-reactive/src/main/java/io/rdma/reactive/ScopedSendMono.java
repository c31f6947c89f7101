package io.rdma.reactive;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.Operation;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.WorkRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

// Invariant: the buffer belongs to the waiter until submit() took it, then to the engine; nobody else ever has it, so
// no cancel can lose it.

/** For each subscriber: waits for a buffer, has it filled, sends it. */
final class ScopedSendMono extends Mono<Void> implements Scannable {
    private final RdmaEndpoint endpoint;
    /** Makes the message when it is its turn. */
    interface Filler {
        /**
         * @param pooled a buffer of the pool; if another one is returned it must be closed
         * @return what to send; closed by the engine
         */
        RegisteredBuffer fill(RegisteredBuffer pooled);
    }

    private final Filler filler;

    private ScopedSendMono(RdmaEndpoint endpoint, Filler filler) {
        this.endpoint = endpoint;
        this.filler = filler;
    }

    static Mono<Void> of(RdmaEndpoint endpoint, Filler filler) {
        return onAssembly(new ScopedSendMono(endpoint, filler));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        actual.onSubscribe(new Sending(endpoint, filler, actual));
    }

    @Override
    public String stepName() {
        return StepNames.SEND;
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    private static final class Sending extends BufferWaiter implements Subscription, FirstRequest.Starter, Scannable {
        private final RdmaEndpoint endpoint;
        private final Filler filler;
        private final CoreSubscriber<? super Void> actual;
        private final FirstRequest requested = new FirstRequest();
        private volatile boolean cancelled;
        private volatile boolean ended;
        private volatile @Nullable Operation operation;

        Sending(RdmaEndpoint endpoint, Filler filler, CoreSubscriber<? super Void> actual) {
            this.endpoint = endpoint;
            this.filler = filler;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            requested.request(n, this);
        }

        @Override
        public void start() {
            endpoint.sendBuffers().acquire(this);
        }

        @Override
        public void refuse(IllegalArgumentException error) {
            if (abandon()) {
                fail(error);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            abandon();
            Operation now = operation;
            if (now != null) {
                now.abandon();
            }
        }

        @Override
        public void acquired(RegisteredBuffer buffer) {
            if (cancelled) {
                buffer.close();
                return;
            }
            RegisteredBuffer message = buffer;
            try {
                message = filler.fill(buffer);
                Operation send = new Sent(WorkRequest.send(message, true));
                operation = send;
                if (cancelled) { // cancel() may have missed the operation
                    send.abandon();
                }
                endpoint.submit(send);
            } catch (Throwable e) { // the writer is the user's: whatever it throws must not keep the buffer
                buffer.close();
                message.close();
                if (cancelled) {
                    Operators.onErrorDropped(e, actual.currentContext());
                    return;
                }
                fail(Operators.onOperatorError(e, actual.currentContext()));
            }
        }

        @Override
        public void failed(RuntimeException error) {
            if (!cancelled) {
                fail(error);
            }
        }

        private void fail(Throwable error) {
            ended = true;
            actual.onError(error);
        }

        @Override
        public String stepName() {
            return StepNames.SEND;
        }

        @Override
        @SuppressWarnings("rawtypes") // Scannable's signature
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            }
            if (key == Attr.CANCELLED) {
                return cancelled;
            }
            return key == Attr.TERMINATED ? ended : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }

        private final class Sent extends Operation {
            Sent(WorkRequest request) {
                super(request);
            }

            @Override
            protected void completed(long value) {
                ended = true;
                actual.onComplete();
            }

            @Override
            protected void failed(RuntimeException error) {
                fail(error);
            }
        }
    }
}
