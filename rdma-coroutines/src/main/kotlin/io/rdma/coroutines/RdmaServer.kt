package io.rdma.coroutines

import io.rdma.internal.connect.EstablishedConnection
import io.rdma.internal.connect.RdmaListener
import io.rdma.internal.os.StackRoom
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

/** A server that listens for connections. [serve] runs a handler for each of them. */
public class RdmaServer private constructor(
    configuration: RdmaConfiguration,
    address: InetSocketAddress,
) : AutoCloseable {
    private val used = configuration.open()
    private val accepted = Channel<RdmaConnection>(Channel.UNLIMITED, onUndeliveredElement = RdmaConnection::close)
    private val connections: MutableSet<RdmaConnection> = ConcurrentHashMap.newKeySet()
    private val closing = AtomicBoolean()
    private val closed = CompletableFuture<Unit>()
    private val listener: RdmaListener =
        used.make { RdmaListener.bind(it, configuration.options, configuration.limits, address, ::accept) }

    private fun accept(established: EstablishedConnection) {
        val connection = RdmaConnection(established) {}
        connections += connection
        established.endpoint().closed().thenRun { connections -= connection }
        if (accepted.trySend(connection).isFailure) connection.close()
    }

    /** Address on which the server listens, with the actual port if 0 was requested. */
    public val address: InetSocketAddress get() = listener.address()

    /** Port of [address]. */
    public val port: Int get() = address.port

    /**
     * Runs [handler] for each connection, in a coroutine of its own, and closes the connection when the handler
     * returns. If a handler fails or is cancelled, its connection is aborted, see [RdmaConnection.abort], so that the
     * client does not take what it received for complete. The other connections are not affected. Returns when the
     * server is closed and all handlers have ended. Cancellation cancels the handlers.
     *
     * @sample io.rdma.coroutines.samples.serve
     */
    public suspend fun serve(handler: suspend (RdmaConnection) -> Unit): Unit =
        supervisorScope {
            for (connection in accepted) {
                // On completion, not in the body: the body of a coroutine that is cancelled before it starts
                // never runs.
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
        StackRoom.require(StackRoom.CLOSE)
        if (closing.compareAndSet(false, true)) {
            try {
                listener.close()
                accepted.close()
                connections.forEach(RdmaConnection::close)
            } finally {
                Thread.ofVirtual().name("rdma-release").start(::release)
            }
        }
    }

    private fun release() {
        try {
            used.releaseBehind(listener)
        } finally {
            closed.complete(Unit)
        }
    }

    /** Closes the server, and suspends until its connections and resources are closed. */
    public suspend fun closeAndAwait() {
        close()
        closed.copy().await()
    }

    /** Factory of servers. */
    public companion object {
        private val LOG = System.getLogger(RdmaServer::class.java.name)

        /**
         * Listens on [host] at [port], the TCP port of the exchange; 0 chooses a free port. Blocks for some
         * milliseconds while the device is opened.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use
         * @throws io.rdma.types.VerbsException if the device cannot be used
         */
        public fun bind(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaServer = RdmaServer(RdmaConfiguration().apply(configure), InetSocketAddress(host, port))
    }
}
