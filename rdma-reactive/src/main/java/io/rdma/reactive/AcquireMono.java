package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A buffer of a pool for each subscriber; one that can no longer be delivered goes back. */
final class AcquireMono extends Mono<RegisteredBuffer> {
    private final BufferPool pool;

    AcquireMono(BufferPool pool) {
        this.pool = pool;
    }

    @Override
    public void subscribe(CoreSubscriber<? super RegisteredBuffer> actual) {
        actual.onSubscribe(new Waiting(pool, actual));
    }

    private static final class Waiting extends BufferWaiter implements Subscription, FirstRequest.Starter {
        private final BufferPool pool;
        private final CoreSubscriber<? super RegisteredBuffer> actual;
        private final FirstRequest requested = new FirstRequest();
        private volatile boolean cancelled;

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
            actual.onNext(buffer);
            actual.onComplete();
        }

        @Override
        public void failed(RuntimeException error) {
            if (!cancelled) {
                actual.onError(error);
            }
        }
    }
}
