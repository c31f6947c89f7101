package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

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

    private static final class Waiting extends BufferWaiter implements Subscription {
        private final BufferPool pool;
        private final CoreSubscriber<? super RegisteredBuffer> actual;
        private final AtomicBoolean requested = new AtomicBoolean();
        private volatile boolean cancelled;

        Waiting(BufferPool pool, CoreSubscriber<? super RegisteredBuffer> actual) {
            this.pool = pool;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (Operators.validate(n) && requested.compareAndSet(false, true)) {
                pool.acquire(this);
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
