package io.rdma.reactive.pool;

import io.rdma.reactive.RdmaConnection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.pool.PooledRef;

/**
 * Connection that was acquired from a {@link RdmaConnectionPool}. The holder ends its use exactly once, by
 * {@link #release} or {@link #invalidate}; calls after the first one change nothing. Thread-safe.
 */
public final class PooledRdmaConnection implements Disposable {
    private final PooledRef<PoolEntry> reference;
    private final AtomicBoolean ended = new AtomicBoolean();

    PooledRdmaConnection(PooledRef<PoolEntry> reference) {
        this.reference = reference;
    }

    /** Notes that an acquire hands the connection out. */
    void used() {
        reference.poolable().used();
    }

    /**
     * Returns the connection.
     *
     * @return not to be used after the end of this use
     */
    public RdmaConnection connection() {
        return reference.poolable().connection();
    }

    /**
     * Returns the connection to the pool. The pool closes it if it is closing already, too old, if messages wait in it,
     * or if the pool was disposed. Does not wait.
     */
    public void release() {
        if (ended.compareAndSet(false, true)) {
            end(reference.release());
        }
    }

    /**
     * Aborts the connection instead of returning it, because an answer may still arrive on it. Does not wait.
     *
     * @param cause cause of the errors of operations that use the connection
     */
    public void invalidate(Throwable cause) {
        if (ended.compareAndSet(false, true)) {
            try {
                connection().abort(cause);
            } finally {
                end(reference.invalidate());
            }
        }
    }

    /** The pool's steps neither wait nor fail: {@link PoolEntry#close} starts the close alone. */
    private static void end(Mono<Void> step) {
        step.subscribe();
    }

    /** Ends the use like {@link #invalidate}, for operators that discard what they do not pass on. */
    @Override
    public void dispose() {
        invalidate(new CancellationException("the pooled connection was discarded"));
    }

    @Override
    public boolean isDisposed() {
        return ended.get();
    }

    @Override
    public String toString() {
        return "Pooled" + connection();
    }
}
