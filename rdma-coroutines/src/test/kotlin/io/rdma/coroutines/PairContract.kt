package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import io.rdma.connect.RdmaResources
import io.rdma.testing.TestDevice
import io.rdma.verbs.QueuePairType
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Base of contracts between the two ends of a connection. Each test ends with the check that nothing is in flight and
 * all pools are whole.
 */
abstract class PairContract {
    /** Name of the device. */
    abstract val device: String

    /** An address of this host. */
    open val host
        get() = TestDevice.host(device)

    /** Method by which the connections are made. */
    open val connector = ConnectMethod.AUTOMATIC

    /** Type of the queue pairs. */
    open val type = QueuePairType.RC

    /** Both ends of a connection. */
    protected class Pair(
        val server: RdmaServer,
        val client: RdmaConnection,
        val peer: RdmaConnection,
        val accepted: Channel<RdmaConnection>,
    )

    /** Resources of both ends; null for those that the process shares. */
    protected open val shared: RdmaResources? = null

    protected fun RdmaConfiguration.small() {
        val open = shared
        if (open == null) device = this@PairContract.device else resources = open
        receiveBuffers(16, MESSAGE)
        sendBuffers(8, 2 * MESSAGE)
        maxMessageSize = LARGE
        connectMethod = connector
        queuePairType = type
    }

    protected fun connected(
        ofClient: RdmaConfiguration.() -> Unit = {},
        test: suspend CoroutineScope.(Pair) -> Unit,
    ) {
        TestDevice.assumed(device)
        runBlocking {
            withTimeout(120.seconds) {
                val server = RdmaServer.bind(host, 0) { small() }
                val accepted = Channel<RdmaConnection>(Channel.UNLIMITED)
                val serving =
                    launch {
                        server.serve {
                            accepted.send(it)
                            it.awaitClosed()
                        }
                    }
                val client =
                    RdmaClient.connect(host, server.port) {
                        small()
                        ofClient()
                    }
                val peer = accepted.receive()
                test(Pair(server, client, peer, accepted))
                client.closeAndAwait()
                server.closeAndAwait()
                serving.join()
                for (connection in listOf(client, peer)) {
                    await().atMost(Duration.ofSeconds(60)).untilAsserted {
                        assertThat(connection.endpoint.inFlight()).isZero()
                        assertThat(connection.endpoint.sendBuffers().leased()).isZero()
                        assertThat(connection.endpoint.outstandingReceives()).isZero()
                    }
                }
            }
        }
    }

    protected companion object {
        const val MESSAGE = 1024
        const val LARGE = 100 * MESSAGE
    }
}
