package io.rdma.reactive;

import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.Submitter;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.internal.os.StackRoom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;

/**
 * Mono that posts a work request for each subscriber, at its first request. Completes empty, or with the old value of
 * an atomic operation.
 */
final class OperationMono<T> extends AsyncMono<T> {
    private final Submitter submitter;
    private final WorkRequest request;

    private OperationMono(Submitter submitter, WorkRequest request) {
        this.submitter = submitter;
        this.request = request;
    }

    static <T> Mono<T> of(Submitter submitter, WorkRequest request) {
        return onAssembly(new OperationMono<>(submitter, request));
    }

    /** Does the same. Returns a Mono of the error if the request cannot be made of its arguments. */
    static <T> Mono<T> of(Submitter submitter, Supplier<WorkRequest> request) {
        try {
            return of(submitter, request.get());
        } catch (IllegalArgumentException e) {
            return Mono.error(e);
        }
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(new Posted<>(submitter, request, actual));
    }

    @Override
    public String stepName() {
        return StepNames.of(request.opcode());
    }

    private static final class Posted<T> extends Operation implements Subscription, Scannable {
        private final Submitter submitter;
        private final CoreSubscriber<? super T> actual;
        private boolean requested; // plain: calls of a subscription are serial (Reactive Streams 2.7)
        private volatile boolean cancelled;

        Posted(Submitter submitter, WorkRequest request, CoreSubscriber<? super T> actual) {
            super(request);
            this.submitter = submitter;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (requested) {
                return;
            }
            if (n <= 0) {
                refuse(OperatorErrors.ofRequest(n));
                return;
            }
            requested = true;
            try {
                submitter.submit(this); // tests the stack; a second test here would cost a fifth of a small operation
            } catch (Throwable e) { // misuse, or stack or memory is exhausted
                requested = false; // here, because there may be no room for a call
                refuse(e);
            }
        }

        private void refuse(Throwable error) {
            requested = !isWaiting(); // if the next line throws, this request has not happened
            StackRoom.require(StackRoom.SIGNAL);
            requested = true;
            if (abandon()) {
                actual.onError(error);
            }
        }

        @Override
        public void cancel() {
            StackRoom.require(StackRoom.SUBMIT);
            if (abandon()) {
                cancelled = true;
            }
        }

        @Override
        public String stepName() {
            return StepNames.of(request().opcode());
        }

        @Override
        @SuppressWarnings("unchecked") // T is Long for atomics and Void otherwise
        protected void completed(long value) {
            if (request().isAtomic()) {
                actual.onNext((T) (Object) value);
            }
            actual.onComplete();
        }

        @Override
        protected void failed(RuntimeException error) {
            actual.onError(error);
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
            return key == Attr.TERMINATED ? isDone() : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }
}
