package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;

/** Mono that acquires a buffer of a pool for each subscriber. A buffer that can no longer be delivered is returned. */
final class AcquireMono extends Mono<RegisteredBuffer> implements Scannable {
    private final BufferPool pool;

    private AcquireMono(BufferPool pool) {
        this.pool = pool;
    }

    static Mono<RegisteredBuffer> of(BufferPool pool) {
        return onAssembly(new AcquireMono(pool));
    }

    @Override
    public void subscribe(CoreSubscriber<? super RegisteredBuffer> actual) {
        actual.onSubscribe(new Waiting(pool, actual));
    }

    @Override
    public String stepName() {
        return StepNames.ACQUIRE;
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public @Nullable Object scanUnsafe(Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    private static final class Waiting extends BufferWaiter implements Subscription, FirstRequest.Starter, Scannable {
        private final BufferPool pool;
        private final CoreSubscriber<? super RegisteredBuffer> actual;
        private final FirstRequest requested = new FirstRequest();
        private volatile boolean cancelled;
        private volatile boolean ended;

        Waiting(BufferPool pool, CoreSubscriber<? super RegisteredBuffer> actual) {
            this.pool = pool;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            requested.request(n, this);
        }

        @Override
        public void start() {
            pool.acquire(this);
        }

        @Override
        public void refuse(IllegalArgumentException error) {
            if (abandon()) {
                ended = true;
                actual.onError(error);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            abandon();
        }

        @Override
        public void acquired(RegisteredBuffer buffer) {
            if (cancelled) {
                buffer.close();
                return;
            }
            ended = true;
            actual.onNext(buffer);
            actual.onComplete();
        }

        @Override
        public void failed(RuntimeException error) {
            if (!cancelled) {
                ended = true;
                actual.onError(error);
            }
        }

        @Override
        public String stepName() {
            return StepNames.ACQUIRE;
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
    }
}
