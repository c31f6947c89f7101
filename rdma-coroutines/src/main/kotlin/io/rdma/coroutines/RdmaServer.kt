package io.rdma.coroutines

import io.rdma.internal.close.CloseSteps
import io.rdma.internal.connect.EstablishedConnection
import io.rdma.internal.connect.RdmaListener
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
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
    private val wiretap = configuration.wiretap
    private val used = configuration.open()
    private val accepted = Channel<RdmaConnection>(Channel.UNLIMITED, onUndeliveredElement = RdmaConnection::close)
    private val connections: MutableSet<RdmaConnection> = ConcurrentHashMap.newKeySet()

    /** Connections with a handler. They stay here after their end: messages may wait that nobody will receive. */
    private val handled: MutableSet<RdmaConnection> = ConcurrentHashMap.newKeySet()
    private val closing = AtomicBoolean()
    private val closed = CompletableFuture<Void>()
    private val listener: RdmaListener =
        used.make { RdmaListener.bind(it, configuration.options, configuration.limits, address, ::accept) }

    private fun accept(established: EstablishedConnection) {
        val connection = RdmaConnection(established, wiretap) {}
        try {
            connections += connection
            established.endpoint().closed().thenRun { connections -= connection }
            if (accepted.trySend(connection).isFailure) connection.close()
        } catch (e: Throwable) {
            // such as no memory: the messages that have arrived are dropped with the connection
            connection.abort(e)
            throw e
        }
    }

    /** Address on which the server listens, with the actual port if 0 was requested. */
    public val address: InetSocketAddress get() = listener.address()

    /** Port of [address]. */
    public val port: Int get() = address.port

    /**
     * Runs [handler] for each connection, in a coroutine of its own, and closes the connection when the handler and the
     * coroutines that it launched have ended. If one of them fails or the handler is cancelled, all of them are
     * cancelled and the connection is aborted, see [RdmaConnection.abort], so that the client does not take what it
     * received for complete. The other connections are not affected. Returns when the server is closed and all handlers
     * have ended. Cancellation cancels the handlers.
     *
     * The receiver of the handler is the scope of the connection. A coroutine that is launched in it is cancelled when
     * the connection has ended and all messages that arrived have been received. A failure that is only a consequence
     * of that end cancels nothing else. The handler itself goes on after the end of the connection, so that it can
     * store what it received.
     *
     * @sample io.rdma.coroutines.samples.serve
     */
    public suspend fun serve(handler: suspend CoroutineScope.(RdmaConnection) -> Unit): Unit =
        supervisorScope {
            for (connection in accepted) {
                handled += connection
                if (closing.get()) connection.close() // close() may have run before `handled` contained it
                // On completion, not in the body: the body of a coroutine that is cancelled before it starts
                // never runs.
                launch { handle(connection, handler) }.invokeOnCompletion {
                    handled -= connection
                    connection.end(it)
                }
            }
        }

    private suspend fun handle(
        connection: RdmaConnection,
        handler: suspend CoroutineScope.(RdmaConnection) -> Unit,
    ) {
        try {
            connection.runInScope(handler)
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
            val steps = CloseSteps().run(listener::close).run { accepted.close() }
            connections.forEach { steps.run(it::close) }
            handled.forEach { steps.run(it::close) }
            steps.run { used.releaseBehind(listener, closed) }.report()
        }
    }

    /**
     * Closes the server, and suspends until its connections and resources are closed and its port can be bound again.
     */
    public suspend fun closeAndAwait() {
        close()
        closed.awaitShared()
    }

    /** Factory of servers. */
    public companion object {
        private val LOG = System.getLogger(RdmaServer::class.java.name)

        /**
         * Listens on [host] at [port], the TCP port of the exchange; 0 chooses a free port. Suspends for some
         * milliseconds while the device is opened. Cancellation closes the server that is being made.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use
         * @throws io.rdma.types.VerbsException if the device cannot be used
         * @throws IllegalArgumentException if [configure] sets a value out of its range
         *
         * @sample io.rdma.coroutines.samples.configuration
         */
        public suspend fun bind(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaServer {
            val configuration = RdmaConfiguration().apply(configure)
            return blocking(RdmaServer::close) { RdmaServer(configuration, InetSocketAddress(host, port)) }
        }

        /** Listens on `localhost` at [port], for clients of this host. Otherwise like [bind] with a host. */
        public suspend fun bind(
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaServer = bind("localhost", port, configure)
    }
}
