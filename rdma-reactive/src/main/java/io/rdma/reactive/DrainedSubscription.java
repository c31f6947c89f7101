package io.rdma.reactive;

import io.rdma.internal.os.StackRoom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.publisher.Operators;

// Invariants: only the thread that takes `wip` from 0 takes items and signals. Nothing is signalled after the end.

/**
 * Subscription to a queue that other threads fill. An item that is not requested stays in the queue.
 *
 * @param <E> item of the queue
 * @param <T> item of the subscriber
 */
abstract class DrainedSubscription<E, T> implements Subscription {
    final CoreSubscriber<? super T> actual;
    private final Fuseable.@Nullable ConditionalSubscriber<? super T> conditional;
    private final AtomicInteger wip = new AtomicInteger(1); // until onSubscribe has returned
    private final AtomicLong requested = new AtomicLong();

    /**
     * Argument of a request that is not positive, which is an error signal to the subscriber (Reactive Streams 3.9);
     * else 0.
     */
    private volatile long invalidRequest;

    private volatile boolean cancelled;
    private volatile boolean ended; // (drainer) writes

    DrainedSubscription(CoreSubscriber<? super T> actual) {
        this.actual = actual;
        this.conditional = actual instanceof Fuseable.ConditionalSubscriber<? super T> filtering ? filtering : null;
    }

    /** Signals the subscription. Then drains what came meanwhile, even if the subscriber throws. */
    final void start() {
        try {
            actual.onSubscribe(this);
        } catch (Throwable e) {
            cancelled = true;
            throw e;
        } finally {
            drainOwned();
        }
    }

    @Override
    public final void request(long n) {
        StackRoom.require(StackRoom.SIGNAL);
        if (n > 0) {
            requested.accumulateAndGet(n, Operators::addCap);
        } else {
            invalidRequest = n == 0 ? Long.MIN_VALUE : n;
        }
        drain();
    }

    @Override
    public final void cancel() {
        cancelled = true; // first: the next signal ends it, if this call has no room for that
        StackRoom.require(StackRoom.SIGNAL);
        drain();
    }

    final boolean isCancelled() {
        return cancelled;
    }

    final boolean hasEnded() {
        return ended;
    }

    final long requested() {
        return requested.get();
    }

    /** Drains the queue, unless another thread does. To be called after each change of the queue. */
    final void drain() {
        if (wip.getAndIncrement() == 0) {
            drainOwned();
        }
    }

    /** Drains the queue. The caller has taken {@code wip}. */
    private void drainOwned() {
        int missed = 1;
        do {
            try {
                if (!ended && mayTake()) {
                    emit();
                }
            } catch (Throwable e) {
                endDuringDrain(e);
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
            boolean last = isTerminated(); // read first: items before the end are delivered
            E item = emitted < requested.get() ? poll() : null;
            if (item == null) {
                if (last && isEmpty()) {
                    end();
                    signalEnd();
                    return;
                }
                break;
            }
            if (deliver(item)) {
                emitted++;
            }
        }
        if (emitted > 0 && requested.get() != Long.MAX_VALUE) {
            requested.addAndGet(-emitted);
        }
    }

    /**
     * Signals an item. If the subscriber throws, which is a violation or fatal, the queue is free for others.
     *
     * @return whether the subscriber counts the item: a filter that drops it needs no request for another one
     */
    final boolean signal(T item) {
        try {
            if (conditional != null) {
                return conditional.tryOnNext(item);
            }
            actual.onNext(item);
            return true;
        } catch (Throwable e) {
            cancelled = true;
            end();
            throw e;
        }
    }

    /** Ends the subscription by an error that did not come from the queue. */
    final void fail(Throwable error) {
        cancelled = true;
        end();
        actual.onError(error);
    }

    /** Ends the subscription with an exception. A subscriber that threw it has already ended, and is not signalled. */
    private void endDuringDrain(Throwable error) {
        if (ended) {
            cancelled = true;
            Operators.onErrorDropped(error, actual.currentContext());
        } else {
            fail(error);
        }
    }

    private void end() {
        if (!ended) {
            ended = true;
            release();
        }
    }

    /** Returns whether this subscription may take items and end. It is drained again when that changes. */
    boolean mayTake() {
        return true;
    }

    /** Returns whether nothing is added to the queue any more. */
    abstract boolean isTerminated();

    abstract @Nullable E poll();

    abstract boolean isEmpty();

    /** Passes an item to {@link #signal}, and returns its result, or ends by {@link #fail}. */
    abstract boolean deliver(E item);

    /** Signals the end of the queue. */
    abstract void signalEnd();

    /** Gives the queue up. Called once. */
    abstract void release();
}
