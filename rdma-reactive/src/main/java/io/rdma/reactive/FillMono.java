package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.ByteOutput;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

// Invariant: the lease is exclusive, so it is closed exactly once. It goes to the output, which owns it whatever it
// throws, or a subscription that is cancelled closes it. No operator gets it, and so no discard hook.

/** Mono that waits for a send buffer for a byte stream. The buffer goes to the output of the stream. */
final class FillMono extends AsyncMono<Void> {
    private final BufferPool pool;
    private final ByteOutput output;
    private final long turn;

    private FillMono(BufferPool pool, ByteOutput output, long turn) {
        this.pool = pool;
        this.output = output;
        this.turn = turn;
    }

    /** Returns the Mono of a write or an end that has the turn. */
    static Mono<Void> of(BufferPool pool, ByteOutput output, long turn) {
        return onAssembly(new FillMono(pool, output, turn));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        actual.onSubscribe(new Waiting(actual));
    }

    @Override
    public String stepName() {
        return StepNames.ACQUIRE;
    }

    private final class Waiting extends BufferSubscription<Void> {
        Waiting(CoreSubscriber<? super Void> actual) {
            super(pool, actual, true);
        }

        @Override
        void take(RegisteredBuffer buffer) {
            try {
                output.fill(turn, buffer);
            } catch (Throwable e) { // the end of the stream could not be sent
                fail(e);
                return;
            }
            ended = true;
            actual.onComplete();
        }

        @Override
        public String stepName() {
            return StepNames.ACQUIRE;
        }
    }
}
