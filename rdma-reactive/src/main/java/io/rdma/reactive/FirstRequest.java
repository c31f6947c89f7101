package io.rdma.reactive;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Demand of a subscriber that receives at most one value. Only the first request counts, and an invalid one becomes an
 * error signal.
 */
final class FirstRequest extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    /** Receiver of the first request. */
    interface Starter {
        void start();

        void refuse(IllegalArgumentException error);
    }

    void request(long n, Starter starter) {
        if (compareAndSet(false, true)) {
            if (n > 0) {
                starter.start();
            } else {
                starter.refuse(bad(n));
            }
        }
    }

    /** Returns the error of a request that is not positive (Reactive Streams 3.9). */
    static IllegalArgumentException bad(long n) {
        return new IllegalArgumentException("§3.9: a request must be positive: " + n);
    }
}
