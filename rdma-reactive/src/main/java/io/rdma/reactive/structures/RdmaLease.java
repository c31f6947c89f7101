package io.rdma.reactive.structures;

import io.rdma.internal.structures.HeldLock;
import reactor.core.publisher.Mono;

/**
 * One acquisition of a lock of {@link RdmaLocks}. Thread-safe. Completion, errors and cancellation of its operations
 * are those of {@link RdmaLocks}; a renewal or release that was requested happens even if it is cancelled.
 */
public final class RdmaLease {
    private final HeldLock lock;

    RdmaLease(HeldLock lock) {
        this.lock = lock;
    }

    /**
     * Returns the fencing token: larger than those of all acquisitions of the same lock before. What the lock protects
     * refuses requests with a smaller token than it has seen.
     *
     * @return 1 or more
     */
    public long token() {
        return lock.token();
    }

    /**
     * Returns whether the lock is held for certain: the lease is not over, and the lock was not released. A thread may
     * be paused behind this call for longer than the rest of the lease; only the {@linkplain #token token} is safe from
     * that.
     *
     * @return by the clock of this process, which stops short of the lease of other clients
     */
    public boolean isHeld() {
        return lock.isHeld();
    }

    /**
     * Begins the lease anew. Renew after a third of the lease, so that two attempts are left.
     *
     * @return whether the lock was still held; false if another client has acquired it, or if it was released
     */
    public Mono<Boolean> renew() {
        return StructureMono.of(lock::renew);
    }

    /**
     * Releases the lock. A second call does nothing.
     *
     * @return whether the lock was still held
     */
    public Mono<Boolean> release() {
        return StructureMono.of(lock::release);
    }
}
