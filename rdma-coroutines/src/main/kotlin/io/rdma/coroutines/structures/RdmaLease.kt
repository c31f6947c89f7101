package io.rdma.coroutines.structures

import io.rdma.internal.structures.HeldLock

/**
 * One acquisition of a lock of [RdmaLocks]. Thread-safe. Errors of its operations are those of [RdmaLocks]. A renewal
 * or release that has begun happens even if the coroutine is cancelled.
 */
public class RdmaLease internal constructor(
    private val lock: HeldLock,
) {
    /**
     * The fencing token: larger than those of all acquisitions of the same lock before. What the lock protects refuses
     * requests with a smaller token than it has seen.
     */
    public val token: Long get() = lock.token()

    /**
     * Whether the lock is held for certain, by the clock of this process: the lease is not over, and the lock was not
     * released. A thread may be paused behind this call for longer than the rest of the lease; only the [token] is safe
     * from that.
     */
    public val isHeld: Boolean get() = lock.isHeld

    /**
     * Begins the lease anew. Returns whether the lock was still held. Renew after a third of the lease, so that two
     * attempts are left.
     */
    public suspend fun renew(): Boolean = awaitValue(lock::renew)

    /** Releases the lock. Returns whether it was still held. A second call does nothing. */
    public suspend fun release(): Boolean = awaitValue(lock::release)
}
