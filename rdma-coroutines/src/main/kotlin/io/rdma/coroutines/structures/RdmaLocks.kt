package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.structures.HeldLock
import io.rdma.internal.structures.HostedLocks
import io.rdma.internal.structures.LockClient
import io.rdma.internal.structures.StructureOpening
import io.rdma.structures.LockMemory
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Locks with leases in the memory of a host, whose processor takes no part. Thread-safe.
 *
 * A lock belongs to its holder until it is released, or until the lease is over without a renewal. A client that waits
 * measures that by its own clock, an eighth longer than the lease, so the clocks of two hosts are never compared. Each
 * acquisition has a token that is larger than all before.
 *
 * Every suspending operation:
 * - **errors** are those of the [RdmaConnection]. An index that does not exist throws [IndexOutOfBoundsException]. A
 *   lock of which the holder's connection ends stays locked until its lease is over.
 * - **cancellation** is prompt. A lock that was just acquired is released.
 * - **threads**: the coroutine resumes through its dispatcher.
 */
public class RdmaLocks private constructor(
    private val client: LockClient,
) {
    /** Number of locks, 1 or more. */
    public val count: Int get() = client.count()

    /**
     * Acquires the lock at [index]. Suspends as long as others hold it, without order among those that wait. The caller
     * releases the lease.
     */
    public suspend fun acquire(index: Int): RdmaLease =
        RdmaLease(checkNotNull(awaitOutcome(HeldLock::drop) { client.acquire(index, it) }))

    /**
     * Acquires the lock at [index] if it is free, without a wait. An object of this class remembers since when its
     * calls have seen a lock held. So a lock is also free if an earlier call has seen it, and it was not renewed for
     * the lease and an eighth of it since then. Calls that are more than 1,000 leases apart see it as for the first
     * time. Returns null if the lock is held, or if it is not known yet that its lease is over. The caller releases the
     * lease.
     */
    public suspend fun tryAcquire(index: Int): RdmaLease? =
        awaitOutcome(HeldLock::drop) { client.tryAcquire(index, it) }?.let(::RdmaLease)

    /**
     * Acquires the lock at [index], runs [block], and releases the lock however that ends. Does not renew the lease.
     */
    public suspend fun <T> withLease(
        index: Int,
        block: suspend (RdmaLease) -> T,
    ): T {
        val lease = acquire(index)
        try {
            return block(lease)
        } finally {
            withContext(NonCancellable) { runCatching { lease.release() } } // fails only with the connection
        }
    }

    /** Makes and opens locks. */
    public companion object {
        /**
         * Allocates [count] locks at their host, all free, for the clients of a server of these [resources]. A lock is
         * held for the [lease] unless it is renewed: 1 ms to 1 hour, longer than a pause of a client, such as one of
         * its garbage collector. Registers memory, which blocks. The result is to be closed after the connections of
         * its clients.
         *
         * @throws StructureException NO_ATOMICS if the device has none
         */
        @JvmStatic
        public fun allocate(
            resources: RdmaResources,
            count: Int,
            lease: Duration,
        ): LockMemory = HostedLocks(resources, count, lease.toJavaDuration())

        /**
         * Opens the locks at a [location] that the host of the [connection] has sent, by one READ. They are usable as
         * long as the connection.
         *
         * @throws StructureException OTHER_LAYOUT, SMALL_BUFFERS, or NO_ATOMICS if the connection's device has none
         */
        @JvmStatic
        public suspend fun open(
            connection: RdmaConnection,
            location: StructureLocation,
        ): RdmaLocks = RdmaLocks(awaitValue { StructureOpening.locks(connection.endpoint, location, it) })
    }
}
