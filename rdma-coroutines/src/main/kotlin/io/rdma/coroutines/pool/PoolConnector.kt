package io.rdma.coroutines.pool

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.connect.PoolLifetime
import io.rdma.internal.connect.ServerBalancer
import io.rdma.internal.connect.ServerLease
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import java.net.InetSocketAddress
import java.util.concurrent.atomic.LongAdder
import kotlin.time.TimeSource

// Invariant: each call of connect() calls PoolLifetime.begin() once, and end() once: when its connection has ended, or
// when none was made. The lease of each attempt ends in the same way.

/** Maker of the connections of a pool: tries one server after the other. */
internal class PoolConnector(
    private val configuration: RdmaConfiguration,
    private val balancer: ServerBalancer,
    private val lifetime: PoolLifetime,
    private val clock: TimeSource,
) {
    val opened: LongAdder = LongAdder()
    val failed: LongAdder = LongAdder()

    suspend fun connect(): PoolEntry {
        lifetime.begin()
        var made = false
        try {
            val attempts = withContext(Dispatchers.IO) { balancer.attempts() }
            while (true) {
                val lease = attempts.next()
                val connection =
                    try {
                        connect(lease)
                    } catch (e: Throwable) {
                        // whatever it is, the lease must end
                        if (e !is CancellationException) failed.increment()
                        if (attempts.failed(lease, e)) continue
                        throw e
                    }
                made = true
                return made(connection, lease)
            }
        } finally {
            if (!made) lifetime.end()
        }
    }

    private suspend fun connect(lease: ServerLease): RdmaConnection {
        val address = lease.address()
        return RdmaClient.connect(configuration) {
            if (address.isUnresolved) InetSocketAddress(address.hostString, address.port) else address
        }
    }

    private fun made(
        connection: RdmaConnection,
        lease: ServerLease,
    ): PoolEntry {
        lease.connected()
        opened.increment()
        connection.whenClosed {
            lease.ended()
            lifetime.end()
        }
        return PoolEntry(connection, lease, clock)
    }
}
