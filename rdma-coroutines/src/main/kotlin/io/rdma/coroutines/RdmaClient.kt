package io.rdma.coroutines

import io.rdma.connect.ConnectHandler
import io.rdma.connect.EstablishedConnection
import io.rdma.connect.RdmaConnector
import io.rdma.verbs.RdmaException
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.net.InetSocketAddress
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/** Connects to an [RdmaServer]. */
public object RdmaClient {
    /**
     * Connects to [host] at the TCP [port] of its exchange.
     *
     * @throws io.rdma.connect.RdmaConnectException if there is no connection
     * @throws io.rdma.verbs.VerbsException if the device cannot be used
     *
     * @sample io.rdma.coroutines.samples.connect
     */
    public suspend fun connect(
        host: String,
        port: Int,
        configure: RdmaConfiguration.() -> Unit = {},
    ): RdmaConnection {
        val configuration = RdmaConfiguration().apply(configure)
        return suspendCancellableCoroutine { continuation ->
            // Opening a device blocks for some milliseconds.
            Thread.startVirtualThread {
                try {
                    start(configuration, InetSocketAddress(host, port), continuation)
                } catch (e: Throwable) {
                    // whoever waits must hear of it, whatever it is
                    continuation.resumeWithException(e)
                }
            }
        }
    }

    /**
     * Connects and runs [handler]; when the connection ends under it, or none can be made, does so again if [retry],
     * which may wait, returns true for the cause and the number of failures in a row before it. A connection that was
     * made begins the count anew.
     *
     * Nothing is replayed: an operation that was under way fails, perhaps after it was executed, and the handler, which
     * begins anew, decides what to do about it. Keys of the peer's memory are those of one connection, and so belong
     * into the handler. It learns of a loss by the failure of what it does or waits for.
     *
     * Returns what the handler returns; its connection is closed then. Throws what the handler throws while its
     * connection stands, and the cause that [retry] refused.
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
                        if (e is CancellationException || !connection.endpoint().hasEndedWith(e)) throw HandlerFailed(e)
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

    /** Takes a failure that no new connection would mend past what catches the others. */
    private class HandlerFailed(
        val failure: Throwable,
    ) : Throwable(null, failure, false, false)

    private fun start(
        configuration: RdmaConfiguration,
        address: InetSocketAddress,
        continuation: CancellableContinuation<RdmaConnection>,
    ) {
        val resources = configuration.open()
        val handler =
            object : ConnectHandler {
                override fun connected(connection: EstablishedConnection) {
                    val made = RdmaConnection(connection) { configuration.release(resources) }
                    continuation.resume(made) { _, late, _ -> late.close() }
                }

                override fun failed(error: RuntimeException) {
                    try {
                        configuration.release(resources)
                    } catch (e: Throwable) {
                        // the caller waits for the failure of the connect
                        error.addSuppressed(e)
                    }
                    continuation.resumeWithException(error)
                }
            }
        val connector = RdmaConnector.connect(resources, configuration.options, address, handler)
        continuation.invokeOnCancellation { connector.cancel() } // the handler releases then
    }
}
