package io.rdma.reactive;

import io.rdma.engine.Operation;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.WorkRequest;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** Posts a work request for each subscriber, when it requests; completes empty, or with the old value of an atomic. */
final class OperationMono<T> extends Mono<T> implements Scannable {
    private final RdmaEndpoint endpoint;
    private final WorkRequest request;

    OperationMono(RdmaEndpoint endpoint, WorkRequest request) {
        this.endpoint = endpoint;
        this.request = request;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(new Posted<>(endpoint, request, actual));
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE
                ? Attr.RunStyle.ASYNC
                : key == Attr.NAME ? request.opcode().name() : null;
    }

    private static final class Posted<T> extends Operation implements Subscription, Scannable {
        private final RdmaEndpoint endpoint;
        private final CoreSubscriber<? super T> actual;
        private final AtomicBoolean requested = new AtomicBoolean();
        private volatile boolean ended;

        Posted(RdmaEndpoint endpoint, WorkRequest request, CoreSubscriber<? super T> actual) {
            super(request);
            this.endpoint = endpoint;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (Operators.validate(n) && requested.compareAndSet(false, true)) {
                try {
                    endpoint.submit(this);
                } catch (RuntimeException misuse) {
                    if (abandon()) {
                        actual.onError(misuse);
                    }
                }
            }
        }

        @Override
        public void cancel() {
            abandon();
        }

        @Override
        @SuppressWarnings("unchecked") // T is Long for atomics and Void for the rest
        protected void completed(long value) {
            ended = true;
            if (request().isAtomic()) {
                actual.onNext((T) (Object) value);
            }
            actual.onComplete();
        }

        @Override
        protected void failed(RuntimeException error) {
            ended = true;
            actual.onError(error);
        }

        @Override
        @SuppressWarnings("rawtypes") // Scannable's signature
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            }
            return key == Attr.TERMINATED ? ended : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }
}
