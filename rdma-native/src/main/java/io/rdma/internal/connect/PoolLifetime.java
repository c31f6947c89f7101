package io.rdma.internal.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

// Invariant: `users` counts the connections that are being made, open or closing, and one more until the pool is
// closed. So it becomes zero once only, and no connection is made after that.

/** Life of a pool, which ends with the last of its connections after the pool was closed. */
public final class PoolLifetime {
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Creates a pool's life. */
    public PoolLifetime() {}

    /**
     * Notes that a connection is about to be made.
     *
     * @throws IllegalStateException if the pool has ended
     */
    public void begin() {
        for (; ; ) {
            int now = users.get();
            if (now == 0) {
                throw closedError();
            }
            if (users.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    /** Notes that a connection has ended, or was not made. */
    public void end() {
        if (users.decrementAndGet() == 0) {
            ended.complete(null);
        }
    }

    /**
     * Closes the pool.
     *
     * @param idle closes what is not in use; called once
     */
    public void close(Runnable idle) {
        if (closed.compareAndSet(false, true)) {
            try {
                idle.run();
            } finally {
                end();
            }
        }
    }

    /**
     * Returns whether the pool was closed.
     *
     * @return true from the close on, although connections may be in use
     */
    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Returns the error of those that ask a closed pool for a connection.
     *
     * @return not thrown
     */
    public static IllegalStateException closedError() {
        return new IllegalStateException("the connection pool is closed");
    }

    /**
     * Returns the end of the pool.
     *
     * @return completes when the pool was closed and its last connection has ended
     */
    public CompletableFuture<Void> ended() {
        return ended;
    }
}
