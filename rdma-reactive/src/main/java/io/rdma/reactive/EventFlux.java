package io.rdma.reactive;

import io.rdma.internal.engine.EventBuffer;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.AsyncEvent;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** Flux of the asynchronous events of a device. Each subscriber has a buffer of its own. */
final class EventFlux extends Flux<AsyncEvent> {
    private final Function<Runnable, EventBuffer> source;

    EventFlux(Function<Runnable, EventBuffer> source) {
        this.source = source;
    }

    @Override
    public void subscribe(CoreSubscriber<? super AsyncEvent> actual) {
        StackRoom.require(StackRoom.CLOSE); // the subscriber requests meanwhile
        Watching watching = new Watching(source, actual);
        try {
            actual.onSubscribe(watching);
        } catch (Throwable e) {
            watching.cancelled = true;
            throw e;
        } finally {
            watching.drainOwned();
        }
    }

    // Invariants: only the thread that takes `wip` from 0 takes events and signals. Nothing is signalled after `done`.
    private static final class Watching implements Subscription {
        private final CoreSubscriber<? super AsyncEvent> actual;
        private final EventBuffer buffer;
        private final AtomicInteger wip = new AtomicInteger(1); // until onSubscribe has returned
        private final AtomicLong requested = new AtomicLong();
        private volatile long invalidRequest;
        private volatile boolean cancelled;
        private boolean done; // (drainer)

        Watching(Function<Runnable, EventBuffer> source, CoreSubscriber<? super AsyncEvent> actual) {
            this.actual = actual;
            buffer = source.apply(this::drain);
        }

        @Override
        public void request(long n) {
            StackRoom.require(StackRoom.SIGNAL);
            if (n > 0) {
                requested.accumulateAndGet(n, Operators::addCap);
            } else {
                invalidRequest = n == 0 ? Long.MIN_VALUE : n;
            }
            drain();
        }

        @Override
        public void cancel() {
            cancelled = true; // first: the next signal ends it, if this call has no room for that
            StackRoom.require(StackRoom.SIGNAL);
            drain();
        }

        private void drain() {
            if (wip.getAndIncrement() == 0) {
                drainOwned();
            }
        }

        /** Drains the buffer. The caller has taken {@code wip}. */
        void drainOwned() {
            int missed = 1;
            do {
                try {
                    if (!done) {
                        emit();
                    }
                } catch (Throwable e) { // the subscriber threw, which must not affect the calling thread
                    end();
                    Operators.onErrorDropped(e, actual.currentContext());
                }
                missed = wip.addAndGet(-missed);
            } while (missed != 0);
        }

        private void emit() {
            long emitted = 0;
            while (true) {
                if (cancelled) {
                    end();
                    return;
                }
                if (invalidRequest != 0) {
                    end();
                    actual.onError(OperatorErrors.ofRequest(invalidRequest));
                    return;
                }
                boolean last = buffer.isEnded(); // read before the poll, so that events before the end are signalled
                AsyncEvent event = emitted < requested.get() ? buffer.poll() : null;
                if (event == null) {
                    if (last && buffer.isEmpty()) {
                        signalEnd();
                        return;
                    }
                    break;
                }
                emitted++;
                actual.onNext(event);
            }
            if (emitted > 0 && requested.get() != Long.MAX_VALUE) {
                requested.addAndGet(-emitted);
            }
        }

        private void signalEnd() {
            RuntimeException failure = buffer.failure();
            end();
            if (failure == null) {
                actual.onComplete();
            } else {
                actual.onError(failure);
            }
        }

        private void end() {
            done = true;
            buffer.close();
        }
    }
}
