package io.rdma.reactive;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.Operation;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.WorkRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

// Invariant: the buffer belongs to the waiter until submit() took it, then to the engine; nobody else ever has it, so
// no cancel can lose it.

/** For each subscriber: waits for a buffer, has it filled, sends it. */
final class ScopedSendMono extends Mono<Void> {
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

    ScopedSendMono(RdmaEndpoint endpoint, Filler filler) {
        this.endpoint = endpoint;
        this.filler = filler;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        actual.onSubscribe(new Sending(endpoint, filler, actual));
    }

    private static final class Sending extends BufferWaiter implements Subscription, FirstRequest.Starter {
        private final RdmaEndpoint endpoint;
        private final Filler filler;
        private final CoreSubscriber<? super Void> actual;
        private final FirstRequest requested = new FirstRequest();
        private volatile boolean cancelled;
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
                actual.onError(error);
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
                Operation send = new Sent(WorkRequest.send(message, true), actual);
                operation = send;
                if (cancelled) { // cancel() may have missed the operation
                    send.abandon();
                }
                endpoint.submit(send);
            } catch (Throwable e) { // the writer is the user's: whatever it throws must not keep the buffer
                buffer.close();
                message.close();
                if (cancelled) {
                    return;
                }
                actual.onError(Operators.onOperatorError(e, actual.currentContext()));
            }
        }

        @Override
        public void failed(RuntimeException error) {
            if (!cancelled) {
                actual.onError(error);
            }
        }
    }

    private static final class Sent extends Operation {
        private final CoreSubscriber<? super Void> actual;

        Sent(WorkRequest request, CoreSubscriber<? super Void> actual) {
            super(request);
            this.actual = actual;
        }

        @Override
        protected void completed(long value) {
            actual.onComplete();
        }

        @Override
        protected void failed(RuntimeException error) {
            actual.onError(error);
        }
    }
}
