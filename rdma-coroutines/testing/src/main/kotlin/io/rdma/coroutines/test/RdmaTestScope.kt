package io.rdma.coroutines.test

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.soft.SoftNetwork
import io.rdma.test.TestNetwork
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

private const val LOOPBACK = "127.0.0.1"

/** Scope of a test that [runRdmaTest] runs: its coroutines, and servers and connections on its own network. */
public class RdmaTestScope internal constructor(
    private val own: TestNetwork,
    scope: CoroutineScope,
    private val servers: CoroutineScope,
    private val endings: Endings,
) : CoroutineScope by scope {
    /** Network of the test's device: its faults, counters and captures. */
    public val network: SoftNetwork get() = own.network()

    /** The test's device, opened at the first use and closed at the end of the test. */
    public val resources: RdmaResources get() = own.resources()

    /**
     * Binds a server at a free port of the loopback address, and serves until the end of the test, as
     * [RdmaServer.serve] does.
     *
     * @param configure changes the configuration, which names the test's device
     * @param handler handles each connection
     * @return the server, which the test may close earlier
     * @throws io.rdma.types.RdmaException if the server cannot be bound
     */
    public suspend fun serve(
        configure: RdmaConfiguration.() -> Unit = {},
        handler: suspend CoroutineScope.(RdmaConnection) -> Unit,
    ): RdmaServer {
        val server = RdmaServer.bind(LOOPBACK, 0) { onOwnDevice(configure) }
        val serving = servers.launch { server.serve(handler) }
        endings.add {
            server.closeAndAwait()
            serving.cancel()
        }
        return server
    }

    /**
     * Connects to a server.
     *
     * @param server of this scope, or of another one on this host
     * @param configure changes the configuration, which names the test's device
     * @return a connection, which the test may close earlier
     * @throws io.rdma.connect.RdmaConnectException if the server does not accept the connection
     */
    public suspend fun connect(
        server: RdmaServer,
        configure: RdmaConfiguration.() -> Unit = {},
    ): RdmaConnection {
        val connection = RdmaClient.connect(LOOPBACK, server.port) { onOwnDevice(configure) }
        endings.add { connection.closeAndAwait() }
        return connection
    }

    private fun RdmaConfiguration.onOwnDevice(configure: RdmaConfiguration.() -> Unit) {
        device = own.network().device()
        configure()
    }
}
