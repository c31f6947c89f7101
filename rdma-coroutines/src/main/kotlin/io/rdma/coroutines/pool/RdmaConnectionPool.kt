package io.rdma.coroutines.pool

import io.rdma.connect.AddressSupplier
import io.rdma.connect.PoolMetrics
import io.rdma.connect.PoolOptions
import io.rdma.connect.ServerAddress
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.awaitShared
import io.rdma.internal.connect.PoolLifetime
import io.rdma.internal.connect.ServerBalancer
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.ThreadLocalRandom
import kotlin.time.TimeSource
import kotlin.time.toKotlinDuration

/**
 * A bounded pool of connections to one or several servers. Each connection has one user at a time.
 *
 * An acquire gets an idle connection, or else makes one to a server that [PoolOptions.balancing] chooses. A server
 * that cannot be reached is skipped for a growing time, and the next one is tried. When [PoolOptions.maxConnections]
 * are in use, acquires wait in order. Thread-safe.
 */
public class RdmaConnectionPool internal constructor(
    configuration: RdmaConfiguration,
    servers: AddressSupplier,
    private val options: PoolOptions,
    timer: CoroutineDispatcher,
    clock: TimeSource,
) : AutoCloseable {
    private val timers = CoroutineScope(SupervisorJob() + timer)
    private val lifetime = PoolLifetime()
    private val began = clock.markNow()
    private val balancer =
        ServerBalancer(servers, options, { began.elapsedNow().inWholeNanoseconds }) {
            ThreadLocalRandom.current().nextLong()
        }
    private val connector = PoolConnector(configuration, balancer, lifetime, clock)
    private val queue = PoolQueue(options, timers, connector::connect)

    init {
        every(options.addressRefresh()) {
            // A failure is reported to the acquires; the look-up is repeated.
            withContext(Dispatchers.IO) { runCatching(balancer::refreshKnown) }
        }
        every(options.evictInBackground()) { queue.evict() }
    }

    private fun every(
        interval: Duration,
        task: suspend () -> Unit,
    ) {
        if (interval.isZero) return
        timers.launch {
            while (true) {
                delay(interval.toKotlinDuration())
                task()
            }
        }
    }

    /** Counters of this pool, for meters and logs. */
    public val metrics: PoolMetrics =
        object : PoolMetrics {
            override fun active() = queue.active

            override fun idle() = queue.idles

            override fun pending() = queue.pending

            override fun maxConnections() = options.maxConnections()

            override fun opened() = connector.opened.sum()

            override fun failed() = connector.failed.sum()

            override fun exhausted() = queue.exhausted.sum()
        }

    /**
     * Uses a connection for one exchange with the server. Returns the result of [block]; the connection was returned
     * before. Throws what [block] throws, and what [acquire] throws.
     *
     * After a failure or a cancellation an answer of the server may be under way, which the next user of the connection
     * would take for its own. So the connection is aborted, not returned, unless [keep] returns true for the failure.
     * [keep] is not asked about a cancellation.
     *
     * @sample io.rdma.coroutines.samples.pooled
     */
    public suspend fun <T> withConnection(
        keep: (Throwable) -> Boolean = { false },
        block: suspend (RdmaConnection) -> T,
    ): T {
        val held = acquire()
        var end: () -> Unit = held::release
        try {
            return block(held.connection)
        } catch (e: Throwable) {
            end = { held.invalidate(e) }
            if (e !is CancellationException && keep(e)) end = held::release
            throw e
        } finally {
            end()
        }
    }

    /**
     * Acquires a connection, which the caller returns or invalidates. Suspends while all are in use. [withConnection]
     * is simpler and never forgets the connection. Cancellation ends the wait, or the attempt to connect.
     *
     * @throws io.rdma.connect.PoolExhaustedException if too many acquires wait, or if this one waited too long
     * @throws io.rdma.connect.RdmaConnectException if no server can be reached, NO_SERVERS if there is none
     * @throws io.rdma.types.VerbsException if the device fails
     * @throws IllegalStateException if the pool is closed
     */
    public suspend fun acquire(): PooledRdmaConnection {
        val entry = queue.take()
        entry.used = true
        return PooledRdmaConnection(queue, entry)
    }

    /**
     * Makes [PoolOptions.warmupConnections] connections, unless there are as many already, so that the first users need
     * not wait for them. Returns the number of connections that are ready. If one cannot be made, throws like
     * [acquire], and the others stay.
     */
    public suspend fun warmup(): Int {
        // All are held until the last one is made; otherwise one connection would serve all acquires.
        val held = ConcurrentLinkedQueue<PoolEntry>()
        try {
            coroutineScope {
                List(maxOf(0, options.warmupConnections() - queue.active)) { async { held += queue.take() } }.awaitAll()
            }
            return held.size
        } finally {
            held.forEach(queue::put)
        }
    }

    /** Whether [close] was called. Connections may be in use all the same. */
    public val isClosed: Boolean get() = lifetime.isClosed

    /**
     * Closes the pool: acquires that wait fail, idle connections are closed, and each connection that is in use is
     * closed when its user returns it. Does not wait.
     */
    override fun close() {
        lifetime.close {
            queue.close()
            timers.cancel()
        }
    }

    /**
     * Closes the pool, and suspends until all its connections are closed, also those in use. That takes as long as the
     * last user.
     */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the pool was closed and all its connections are closed. */
    public suspend fun awaitClosed() {
        lifetime.ended().awaitShared()
    }

    /** Factory of pools. */
    public companion object {
        /**
         * Creates a pool of connections to the server at [host] and [port]. Makes no connection yet.
         */
        public fun create(
            host: String,
            port: Int,
            options: PoolOptions = PoolOptions.DEFAULT,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaConnectionPool = create(AddressSupplier.of(ServerAddress.of(host, port)), options, configure)

        /** Creates a pool of connections to several [servers], as [create] does for one. */
        public fun create(
            servers: AddressSupplier,
            options: PoolOptions = PoolOptions.DEFAULT,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaConnectionPool =
            RdmaConnectionPool(
                RdmaConfiguration().apply(configure),
                servers,
                options,
                Dispatchers.Default,
                TimeSource.Monotonic,
            )
    }
}
