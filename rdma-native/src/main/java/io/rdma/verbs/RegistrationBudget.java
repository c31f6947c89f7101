package io.rdma.verbs;

import io.rdma.types.RegistrationLimitException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on the bytes registered at once, over all protection domains that share it. Registered memory is pinned, so
 * this bounds what peers can make this process pin. Thread-safe.
 */
public final class RegistrationBudget {
    private final long maxBytes;
    private final AtomicLong registered = new AtomicLong();

    /**
     * Creates a budget with nothing registered.
     *
     * @param maxBytes largest number of bytes registered at once, at least 1; a region that is registered twice
     *     counts twice
     */
    public RegistrationBudget(long maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("a budget needs at least 1 byte, not " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the bound.
     *
     * @return bytes
     */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Returns the number of bytes registered now.
     *
     * @return bytes, from registration to deregistration
     */
    public long registered() {
        return registered.get();
    }

    void take(long bytes) {
        long before;
        do {
            before = registered.get();
            if (bytes > maxBytes - before) {
                throw new RegistrationLimitException("registering " + bytes + " more bytes would exceed the limit of "
                        + maxBytes + ", " + before
                        + " are registered: close regions or connections, register less, or raise maxRegisteredBytes");
            }
        } while (!registered.compareAndSet(before, before + bytes));
    }

    void giveBack(long bytes) {
        registered.addAndGet(-bytes);
    }
}
