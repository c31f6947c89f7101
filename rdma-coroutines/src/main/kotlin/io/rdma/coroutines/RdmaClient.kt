package io.rdma.coroutines

import io.rdma.internal.connect.ConnectHandler
import io.rdma.internal.connect.EstablishedConnection
import io.rdma.internal.connect.RdmaConnector
import io.rdma.internal.engine.DeviceResources
import io.rdma.types.RdmaException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.net.InetSocketAddress
import kotlin.coroutines.resumeWithException

/** Client side: makes connections to an [RdmaServer]. */
public object RdmaClient {
    /**
     * Connects to [host] at [port], the TCP port of the exchange. Suspends until the connection is made. Cancellation
     * aborts the attempt.
     *
     * @throws io.rdma.connect.RdmaConnectException if the connection cannot be made
     * @throws io.rdma.types.VerbsException if the device cannot be used
     *
     * @sample io.rdma.coroutines.samples.connect
     */
    public suspend fun connect(
        host: String,
        port: Int,
        configure: RdmaConfiguration.() -> Unit = {},
    ): RdmaConnection = connect(RdmaConfiguration().apply(configure)) { InetSocketAddress(host, port) }

    /** Connects to [address], whose look-up may block. */
    internal suspend fun connect(
        configuration: RdmaConfiguration,
        address: () -> InetSocketAddress,
    ): RdmaConnection =
        connecting(
            configuration,
            RdmaConnection::close,
            { established, release -> RdmaConnection(established, configuration.wiretap, release) },
            { used, handler -> RdmaConnector.connect(used, configuration.options, address(), handler) },
        )

    /**
     * Connects and runs [handler]. If the connection ends while the handler runs, or if no connection can be made,
     * calls [retry] with the cause and the number of consecutive failures before it. If [retry] returns true, connects
     * and runs the handler again. [retry] may suspend, such as for a delay. Every connection that was made resets the
     * count to zero.
     *
     * Nothing is replayed. An operation that was in flight fails, although the peer may have executed it, and the
     * handler, which starts from its beginning, decides what to do about it. Keys of the peer's memory are valid for
     * one connection only, so the handler must get them anew each time. The handler notices a lost connection only when
     * an operation or a receive of its own fails.
     *
     * Returns the result of the handler, after its connection was closed. Throws what the handler throws while the
     * connection is intact, and otherwise the cause for which [retry] returned false.
     *
     * @sample io.rdma.coroutines.samples.reconnect
     */
    public suspend fun <T> reconnect(
        host: String,
        port: Int,
        retry: suspend (cause: Throwable, attempt: Long) -> Boolean,
        configure: RdmaConfiguration.() -> Unit = {},
        handler: suspend (RdmaConnection) -> T,
    ): T {
        var attempt = 0L
        while (true) {
            val cause =
                try {
                    val connection = connect(host, port, configure)
                    attempt = 0
                    var failure: Throwable? = null
                    try {
                        return handler(connection)
                    } catch (e: Throwable) {
                        failure = e
                        if (e is CancellationException || !connection.engine.hasEndedWith(e)) throw HandlerFailed(e)
                        e
                    } finally {
                        connection.end(failure)
                        withContext(NonCancellable) { connection.awaitClosed() }
                    }
                } catch (e: HandlerFailed) {
                    throw e.failure
                } catch (e: RdmaException) {
                    e
                }
            if (!retry(cause, attempt++)) throw cause
        }
    }

    /**
     * Carries a failure of the handler, which a new connection would not cure, past the `catch` for lost connections.
     */
    private class HandlerFailed(
        val failure: Throwable,
    ) : Throwable(null, failure, false, false)
}

/**
 * Connects by [connect], and makes the caller's object of the connection by [made], which gets what releases the
 * resources. Suspends until that. Cancellation aborts the attempt, and passes an object that comes after it to [close].
 */
internal suspend fun <T> connecting(
    configuration: RdmaConfiguration,
    close: (T) -> Unit,
    made: (EstablishedConnection, () -> Unit) -> T,
    connect: (DeviceResources, ConnectHandler) -> RdmaConnector,
): T =
    suspendCancellableCoroutine { continuation ->
        // Opening a device blocks for some milliseconds.
        Thread.startVirtualThread {
            try {
                val used = configuration.open()
                val handler =
                    object : ConnectHandler {
                        override fun connected(connection: EstablishedConnection) {
                            continuation.resume(made(connection, used::release)) { _, late, _ -> close(late) }
                        }

                        override fun failed(error: RuntimeException) {
                            used.releaseAfter(error)
                            continuation.resumeWithException(error)
                        }
                    }
                val connector = used.make { connect(it, handler) }
                continuation.invokeOnCancellation { connector.cancel() } // the handler then releases the resources
            } catch (e: Throwable) {
                // the suspended caller must get every failure of any type
                continuation.resumeWithException(e)
            }
        }
    }
