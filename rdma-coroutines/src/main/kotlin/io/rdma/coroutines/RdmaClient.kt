package io.rdma.coroutines

import io.rdma.cm.ConnectHandler
import io.rdma.cm.EstablishedConnection
import io.rdma.cm.RdmaConnector
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import java.net.InetSocketAddress
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/** Connects to an [RdmaServer]. */
public object RdmaClient {
    /**
     * Connects to [host] at the TCP [port] of its exchange.
     *
     * @throws io.rdma.cm.RdmaConnectException if there is no connection
     * @throws io.rdma.verbs.VerbsException if the device cannot be used
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
                    configuration.release(resources)
                    continuation.resumeWithException(error)
                }
            }
        val connector = RdmaConnector.connect(resources, configuration.options, address, handler)
        continuation.invokeOnCancellation { connector.cancel() } // the handler releases then
    }
}
