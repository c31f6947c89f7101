package io.rdma.coroutines

import io.rdma.connect.EstablishedConnection
import io.rdma.connect.RdmaListener
import io.rdma.engine.RdmaResources
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import java.lang.System.Logger
import java.net.InetSocketAddress
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

/** A server that listens; [serve] handles its connections. */
public class RdmaServer private constructor(
    private val configuration: RdmaConfiguration,
    address: InetSocketAddress,
) : AutoCloseable {
    private val resources: RdmaResources = configuration.open()
    private val accepted = Channel<RdmaConnection>(Channel.UNLIMITED, onUndeliveredElement = RdmaConnection::close)
    private val connections: MutableSet<RdmaConnection> = ConcurrentHashMap.newKeySet()
    private val closing = AtomicBoolean()
    private val closed = CompletableFuture<Unit>()
    private val listener: RdmaListener =
        try {
            RdmaListener.bind(resources, configuration.options, configuration.limits, address, ::accept)
        } catch (e: Throwable) {
            configuration.release(resources)
            throw e
        }

    private fun accept(established: EstablishedConnection) {
        val connection = RdmaConnection(established) {}
        connections += connection
        established.endpoint().closed().thenRun { connections -= connection }
        if (accepted.trySend(connection).isFailure) connection.close()
    }

    /** Where it listens, with the real port. */
    public fun address(): InetSocketAddress = listener.address()

    /** Port of [address]. */
    public fun port(): Int = address().port

    /**
     * Runs [handler] for each connection, in a coroutine of its own, and closes the connection when it returns. A
     * handler that fails, or is cancelled, has not come to its end: its connection is given up, see
     * [RdmaConnection.abort], so that what the client received does not look whole. The others go on. Returns when the
     * server is closed and all handlers have ended; cancellation ends the handlers.
     *
     * @sample io.rdma.coroutines.samples.serve
     */
    public suspend fun serve(handler: suspend (RdmaConnection) -> Unit): Unit =
        supervisorScope {
            for (connection in accepted) {
                // On completion, not in the body: a coroutine that is cancelled before it starts has none.
                launch { handle(connection, handler) }.invokeOnCompletion { connection.end(it) }
            }
        }

    private suspend fun handle(
        connection: RdmaConnection,
        handler: suspend (RdmaConnection) -> Unit,
    ) {
        try {
            handler(connection)
        } catch (e: CancellationException) {
            throw e
        } catch (e: Exception) {
            LOG.log(Logger.Level.WARNING, "the handler of $connection failed: $e")
            LOG.log(Logger.Level.DEBUG, "details", e)
            connection.abort(e)
        }
    }

    /** Stops listening and closes all connections. Does not wait. */
    override fun close() {
        if (closing.compareAndSet(false, true)) {
            listener.close()
            accepted.close()
            connections.forEach(RdmaConnection::close)
            Thread.startVirtualThread {
                try {
                    listener.closeConnections() // those that came meanwhile, too
                    configuration.release(resources)
                } finally {
                    closed.complete(Unit)
                }
            }
        }
    }

    /** Closes, and suspends until connections and resources are closed. */
    public suspend fun closeAndAwait() {
        close()
        closed.copy().await()
    }

    /** Where servers are made. */
    public companion object {
        private val LOG = System.getLogger(RdmaServer::class.java.name)

        /**
         * Listens on [host] at the TCP [port] of the exchange, 0 for a free one. Opening the device blocks for some
         * milliseconds.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use
         * @throws io.rdma.verbs.VerbsException if the device cannot be used
         */
        public fun bind(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaServer = RdmaServer(RdmaConfiguration().apply(configure), InetSocketAddress(host, port))
    }
}
