package io.rdma.reactive;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.os.StackRoom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;

/**
 * Subscription that acquires a buffer of a pool at its first request. Only the first request counts, and an invalid one
 * becomes an error signal.
 */
abstract class BufferSubscription<T> extends BufferWaiter implements Subscription, Scannable {
    private final BufferPool pool;
    final CoreSubscriber<? super T> actual;
    private boolean requested; // plain: calls of a subscription are serial (Reactive Streams 2.7)
    volatile boolean cancelled;
    volatile boolean ended;

    BufferSubscription(BufferPool pool, CoreSubscriber<? super T> actual) {
        this(pool, actual, false);
    }

    /** Creates a subscription; see {@link BufferWaiter#BufferWaiter(boolean)} for exclusive buffers. */
    BufferSubscription(BufferPool pool, CoreSubscriber<? super T> actual, boolean exclusive) {
        super(exclusive);
        this.pool = pool;
        this.actual = actual;
    }

    @Override
    public final void request(long n) {
        if (requested) {
            return;
        }
        if (n > 0) {
            requested = true;
            try {
                pool.acquire(this); // tests the stack
            } catch (Throwable e) { // it does not wait then
                requested = false; // here, because there may be no room for a call
                throw e;
            }
        } else {
            StackRoom.require(StackRoom.SIGNAL);
            requested = true;
            if (abandon()) {
                fail(OperatorErrors.ofRequest(n));
            }
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        abandon();
    }

    /** Takes the buffer that was waited for, which nothing else gives back from now on. */
    abstract void take(RegisteredBuffer buffer);

    @Override
    public final void acquired(RegisteredBuffer buffer) {
        if (cancelled) {
            buffer.close();
            return;
        }
        take(buffer);
    }

    @Override
    public final void failed(RuntimeException error) {
        if (!cancelled) {
            fail(error);
        }
    }

    final void fail(Throwable error) {
        ended = true;
        actual.onError(error);
    }

    @Override
    @SuppressWarnings("rawtypes") // Scannable's signature
    public final @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.ACTUAL) {
            return actual;
        }
        if (key == Attr.CANCELLED) {
            return cancelled;
        }
        return key == Attr.TERMINATED ? ended : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
