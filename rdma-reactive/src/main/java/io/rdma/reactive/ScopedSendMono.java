package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.Submitter;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.internal.os.StackRoom;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

// Invariant: the buffer belongs to the waiter until submit() takes it, and then to the engine. No other code ever owns
// it, so a cancel cannot lose it. A message that does not fit into it returns it and gets memory of its own, on a
// thread that may block.

/** Mono that, for each subscriber, waits for a buffer, fills it and sends it. */
final class ScopedSendMono extends AsyncMono<Void> {
    /** Writer of the message; called when a buffer is available. */
    interface Filler {
        /**
         * Fills a buffer.
         *
         * @param pooled buffer of the pool
         * @return request that sends the buffer and lets the engine close it
         * @throws NeedsOwnMemory if the message does not fit; its request is then made on a thread that may block
         */
        WorkRequest fill(RegisteredBuffer pooled);
    }

    private final Submitter submitter;
    private final BufferPool pool;
    private final Filler filler;

    private ScopedSendMono(Submitter submitter, BufferPool pool, Filler filler) {
        this.submitter = submitter;
        this.pool = pool;
        this.filler = filler;
    }

    static Mono<Void> of(Submitter submitter, BufferPool pool, Filler filler) {
        return onAssembly(new ScopedSendMono(submitter, pool, filler));
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        actual.onSubscribe(new Sending(submitter, pool, filler, actual));
    }

    @Override
    public String stepName() {
        return StepNames.SEND;
    }

    private static final class Sending extends BufferSubscription<Void> {
        private final Submitter submitter;
        private final Filler filler;
        private volatile @Nullable Operation operation;

        Sending(Submitter submitter, BufferPool pool, Filler filler, CoreSubscriber<? super Void> actual) {
            super(pool, actual);
            this.submitter = submitter;
            this.filler = filler;
        }

        @Override
        public void cancel() {
            StackRoom.require(StackRoom.SIGNAL);
            super.cancel();
            Operation now = operation;
            if (now != null) {
                now.abandon();
            }
        }

        @Override
        void take(RegisteredBuffer buffer) {
            try {
                submit(filler.fill(buffer));
            } catch (NeedsOwnMemory larger) {
                buffer.close();
                sendLarge(larger);
            } catch (Throwable e) { // the writer is application code: on any exception the buffer must be returned
                buffer.close();
                refused(e);
            }
        }

        private void submit(WorkRequest request) {
            Operation send = new Sent(request);
            operation = send;
            if (cancelled) { // cancel() may have missed the operation
                send.abandon();
            }
            submitter.submit(send);
        }

        private void sendLarge(NeedsOwnMemory larger) {
            try {
                Thread.ofVirtual().name("rdma-send").start(() -> submitLarge(larger));
            } catch (Throwable e) { // no memory
                refused(e);
            }
        }

        private void submitLarge(NeedsOwnMemory larger) {
            if (cancelled) {
                return;
            }
            WorkRequest request = null;
            try {
                request = larger.request.get();
                submit(request);
            } catch (Throwable e) { // the encoder is application code, and memory may be exhausted
                if (request != null && request.buffer() != null) {
                    request.buffer().close();
                }
                refused(e);
            }
        }

        private void refused(Throwable error) {
            if (cancelled) {
                Operators.onErrorDropped(error, actual.currentContext());
                return;
            }
            fail(OperatorErrors.of(null, error, null, actual.currentContext()));
        }

        @Override
        public String stepName() {
            return StepNames.SEND;
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
