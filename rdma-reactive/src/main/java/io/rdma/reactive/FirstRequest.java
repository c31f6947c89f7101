package io.rdma.reactive;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The demand of a subscriber that gets at most one value: the first request counts, and a bad one is an error signal.
 */
final class FirstRequest extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    /** What to do on the first request. */
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

    /** Reactive Streams 3.9. */
    static IllegalArgumentException bad(long n) {
        return new IllegalArgumentException("§3.9: a request must be positive: " + n);
    }
}
