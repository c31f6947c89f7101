package io.rdma.coroutines.pool

import io.rdma.connect.AddressSupplier
import io.rdma.connect.PoolOptions
import io.rdma.connect.RdmaResources
import io.rdma.connect.ServerAddress
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.texts
import io.rdma.testing.TestDevice
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.TestCoroutineScheduler
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

/** Servers and pools of a test, whose timers run in virtual time. At the end no connection is open on either side. */
@OptIn(ExperimentalCoroutinesApi::class)
internal class PoolFixture(
    device: String,
) {
    private val ofServers = RdmaResources.open(TestDevice.assumed(device))
    private val ofClients = RdmaResources.open(TestDevice.assumed(device))
    private val servers = mutableListOf<RdmaServer>()
    private val pools = mutableListOf<RdmaConnectionPool>()
    private val time = TestCoroutineScheduler()

    /** Scope of the users and servers, in real time. */
    val scope = CoroutineScope(Dispatchers.Default + SupervisorJob())

    fun pass(duration: kotlin.time.Duration) {
        time.runCurrent() // begins delays that were just started
        time.advanceTimeBy(duration)
        time.runCurrent()
    }

    private fun RdmaConfiguration.small(shared: RdmaResources) {
        resources = shared
        receiveBuffers(16, 1024)
        sendBuffers(8, 1024)
        handshakeTimeout = 60.seconds
    }

    suspend fun server(
        host: String = "127.0.0.1",
        port: Int = 0,
        answer: suspend (String) -> String = { it },
    ): RdmaServer {
        val server = RdmaServer.bind(host, port) { small(ofServers) }
        servers += server
        scope.launch {
            server.serve { connection ->
                connection.incoming().texts().collect { connection.send(answer(it)) }
            }
        }
        return server
    }

    fun pool(
        server: RdmaServer,
        options: PoolOptions,
    ) = pool(AddressSupplier.of(ServerAddress.of("127.0.0.1", server.port)), options)

    fun pool(
        servers: AddressSupplier,
        options: PoolOptions,
    ): RdmaConnectionPool {
        val configuration = RdmaConfiguration().apply { small(ofClients) }
        val timer = StandardTestDispatcher(time)
        return RdmaConnectionPool(configuration, servers, options, timer, time.timeSource).also { pools += it }
    }

    /** Waits until the servers have as many connections. */
    fun awaitConnections(expected: Int) =
        await("connections at the servers")
            .atMost(PATIENCE)
            .untilAsserted { assertThat(ofServers.endpoints()).hasSize(expected) }

    fun run(test: suspend PoolFixture.() -> Unit) {
        try {
            runBlocking {
                withTimeout(120.seconds) {
                    test()
                    pools.forEach { it.closeAndAwait() }
                }
            }
            // Those of attempts that were cancelled may still be closing.
            await("connections of the pools").atMost(PATIENCE).until { ofClients.endpoints().isEmpty() }
            awaitConnections(0) // although the servers still run
        } finally {
            runBlocking { servers.forEach { it.closeAndAwait() } }
            ofClients.close()
            ofServers.close()
        }
        TestDevice.awaitClosed(ofClients.context())
        TestDevice.awaitClosed(ofServers.context())
    }

    companion object {
        val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}
