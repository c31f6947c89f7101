package io.rdma.coroutines.pool

import io.rdma.connect.PoolOptions
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.connect.ServerLease
import kotlin.time.TimeMark
import kotlin.time.TimeSource
import kotlin.time.toKotlinDuration

/** Connection in a pool, with its place in the count of its server. One thread at a time uses it. */
internal class PoolEntry(
    val connection: RdmaConnection,
    private val lease: ServerLease,
    private val clock: TimeSource,
) {
    private val made: TimeMark = clock.markNow()

    /** Beginning of the time without use. */
    private var idleSince: TimeMark = made

    /** Whether an acquire has handed the connection out. */
    var used: Boolean = false

    fun becomesIdle() {
        idleSince = clock.markNow()
    }

    /**
     * Returns whether the connection must not be used again: it has ended, its server has left the list, its time is
     * over, or a message waits in it. Such a message is an answer that its user did not await, and the next user would
     * take it for its own. Before the first use it may be a greeting.
     */
    fun isUnfit(options: PoolOptions): Boolean =
        connection.isClosed ||
            !lease.isListed ||
            (used && connection.hasMessages) ||
            isOver(idleSince, options.maxIdleTime()) ||
            isOver(made, options.maxLifeTime())

    private fun isOver(
        since: TimeMark,
        limit: java.time.Duration,
    ) = !limit.isZero && since.elapsedNow() >= limit.toKotlinDuration()
}
