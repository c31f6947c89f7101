package io.rdma.reactive;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

// States of a Making: IDLE -> RUNNING (requested) -> ENDED (signalled); IDLE or RUNNING -> CANCELLED.
// The thread that moves the state to ENDED signals. An invalid request while RUNNING signals its error and moves the
// state to CANCELLED. An object made after CANCELLED is disposed, so no object is lost here. An object that a
// downstream operator drops goes to Reactor's discard hook. That hook belongs at the end of the user's chain, because
// hooks propagate upstream.

/**
 * Mono that makes one disposable object for each subscriber, on a thread that may block. The owner of the object must
 * dispose it.
 */
final class MakingMono<T extends Disposable> extends AsyncMono<T> {
    /**
     * Starts making the object. Calls {@link Making#made} or {@link Making#failed} once, before or after it returns.
     */
    interface Maker<T extends Disposable> {
        void make(Making<T> making);
    }

    private final String stepName;
    private final Maker<T> maker;

    private MakingMono(String stepName, Maker<T> maker) {
        this.stepName = stepName;
        this.maker = maker;
    }

    static <T extends Disposable> Mono<T> of(String stepName, Maker<T> maker) {
        return onAssembly(new MakingMono<>(stepName, maker));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(new Making<>(maker, actual));
    }

    @Override
    public String stepName() {
        return stepName;
    }

    /** Waits for a Mono like {@code block(timeout)}, but disposes an object that arrives after the wait has ended. */
    static <T extends Disposable> T await(Mono<T> mono, Duration timeout) {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("waiting is not supported in thread "
                    + Thread.currentThread().getName() + ": compose the Mono instead");
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        BaseSubscriber<T> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(T value) {
                if (!result.complete(value)) {
                    value.dispose();
                }
            }

            @Override
            protected void hookOnError(Throwable error) {
                result.completeExceptionally(error);
            }
        };
        mono.subscribe(subscriber);
        Throwable failure;
        try {
            return result.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            failure = Exceptions.propagate(Objects.requireNonNull(e.getCause()));
        } catch (TimeoutException e) {
            failure = new IllegalStateException("no result within " + timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new IllegalStateException("interrupted while waiting", e);
        }
        if (result.completeExceptionally(failure) || result.isCompletedExceptionally()) {
            subscriber.cancel();
            throw Exceptions.propagate(failure);
        }
        return result.join(); // it arrived at the last moment
    }

    /** Subscription of one subscriber, with the state of its object. */
    static final class Making<T extends Disposable> implements Subscription, Scannable {
        private static final int IDLE = 0;
        private static final int RUNNING = 1;
        private static final int ENDED = 2;
        private static final int CANCELLED = 3;

        private final Maker<T> maker;
        private final CoreSubscriber<? super T> actual;
        private final AtomicInteger state = new AtomicInteger(IDLE);
        private volatile @Nullable Runnable onCancel;

        Making(Maker<T> maker, CoreSubscriber<? super T> actual) {
            this.maker = maker;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                if (state.compareAndSet(IDLE, ENDED) || state.compareAndSet(RUNNING, CANCELLED)) {
                    actual.onError(OperatorErrors.ofRequest(n));
                }
            } else if (state.compareAndSet(IDLE, RUNNING)) {
                try {
                    Thread.ofVirtual().name("rdma-making").start(this::run);
                } catch (Throwable e) { // no memory
                    failed(e);
                }
            }
        }

        private void run() {
            try {
                maker.make(this);
            } catch (Throwable e) { // the subscriber must be notified of any failure
                failed(e);
            }
        }

        /** Sets the action to run on cancel. Runs it at once if this is already cancelled. */
        void onCancel(Runnable action) {
            onCancel = action;
            if (state.get() == CANCELLED) {
                action.run();
            }
        }

        void made(T value) {
            if (state.compareAndSet(RUNNING, ENDED)) {
                actual.onNext(value);
                actual.onComplete();
            } else {
                value.dispose();
            }
        }

        void failed(Throwable error) {
            if (state.compareAndSet(RUNNING, ENDED)) {
                actual.onError(error);
            }
        }

        @Override
        public void cancel() {
            if (state.compareAndSet(IDLE, CANCELLED) || state.compareAndSet(RUNNING, CANCELLED)) {
                Runnable action = onCancel;
                if (action != null) {
                    action.run();
                }
            }
        }

        @Override
        @SuppressWarnings("rawtypes") // Scannable's signature
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            }
            if (key == Attr.TERMINATED) {
                return state.get() == ENDED;
            }
            if (key == Attr.CANCELLED) {
                return state.get() == CANCELLED;
            }
            return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }
}
