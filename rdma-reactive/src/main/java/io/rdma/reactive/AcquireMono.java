package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Mono that acquires a buffer of a pool for each subscriber. A buffer that can no longer be delivered is returned. */
final class AcquireMono extends AsyncMono<RegisteredBuffer> {
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

    private static final class Waiting extends BufferSubscription<RegisteredBuffer> {
        Waiting(BufferPool pool, CoreSubscriber<? super RegisteredBuffer> actual) {
            super(pool, actual);
        }

        @Override
        void take(RegisteredBuffer buffer) {
            ended = true;
            actual.onNext(buffer);
            actual.onComplete();
        }

        @Override
        public String stepName() {
            return StepNames.ACQUIRE;
        }
    }
}
