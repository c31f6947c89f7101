package io.rdma.coroutines

import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaResources
import io.rdma.internal.engine.DeviceResources
import io.rdma.testing.HangUp
import io.rdma.testing.TestDevice
import io.rdma.testing.TestPorts
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.lang.foreign.MemorySegment
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.time.Duration
import kotlin.random.Random
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of connecting and closing, the same on every device. Each test ends with the check that all resources can be
 * closed.
 */
abstract class ConnectContract {
    /** Name of the device. */
    abstract val device: String

    private fun serving(test: suspend CoroutineScope.(RdmaResources, RdmaServer) -> Unit) {
        val shared = RdmaResources.open(TestDevice.assumed(device))
        runBlocking {
            withTimeout(120.seconds) {
                val server = RdmaServer.bind("127.0.0.1", 0) { small(shared) }
                val serving =
                    launch(Dispatchers.Default) {
                        server.serve { connection ->
                            connection.incoming().collect { message ->
                                connection.send(message.length()) { it.copyFrom(message.segment()) }
                            }
                        }
                    }
                test(shared, server)
                server.closeAndAwait()
                serving.join()
            }
        }
        await().atMost(Duration.ofSeconds(60)).until { shared.endpoints().isEmpty() }
        val loop = DeviceResources.of(shared).loops().first()
        shared.close() // waits for cancelled connects that still clean up
        assertThat(loop.freeEntries()).isEqualTo(loop.entries())
        TestDevice.awaitClosed(shared.context())
    }

    private fun RdmaConfiguration.small(shared: RdmaResources) {
        resources = shared
        receiveBuffers(16, 1024)
        sendBuffers(8, 1024)
        options = options.withHandshakeTimeout(Duration.ofSeconds(60))
    }

    private suspend fun assertEchoes(
        shared: RdmaResources,
        server: RdmaServer,
    ) {
        val connection = RdmaClient.connect("127.0.0.1", server.port) { small(shared) }
        connection.send(5) { it.copyFrom(MemorySegment.ofArray("hello".toByteArray())) }
        assertThat(connection.receive { String(it.toByteArray()) }).isEqualTo("hello")
        connection.closeAndAwait()
    }

    @Test
    fun `a lost connection is made anew for its handler`() =
        serving { shared, server ->
            val connections = mutableListOf<RdmaConnection>()
            val result =
                RdmaClient.reconnect("127.0.0.1", server.port, { _, _ -> true }, { small(shared) }) { connection ->
                    connections += connection
                    if (connections.size < 3) {
                        connection.engine.fail(IllegalStateException("lost"))
                        connection.receive { it.length() }
                    }
                    connection.send(5) { it.copyFrom(MemorySegment.ofArray("hello".toByteArray())) }
                    connection.receive { String(it.toByteArray()) }
                }
            assertThat(result).isEqualTo("hello")
            assertThat(connections).hasSize(3).allMatch { it.isClosed }
        }

    @Test
    fun `only the end of a connection is retried, and only as long as wanted`() =
        serving { shared, server ->
            var calls = 0
            val failure =
                runCatching {
                    RdmaClient.reconnect("127.0.0.1", server.port, { _, _ -> true }, { small(shared) }) {
                        calls++
                        error("mine")
                    }
                }.exceptionOrNull()
            assertThat(failure).hasMessage("mine")
            assertThat(calls).isOne()
            val port = TestPorts.free()
            val attempts = mutableListOf<Long>()
            val refused =
                runCatching {
                    RdmaClient.reconnect(
                        "127.0.0.1",
                        port,
                        { _, attempt -> attempts.add(attempt) && attempt < 2 },
                        { small(shared) },
                    ) {}
                }.exceptionOrNull()
            assertThat(refused).isInstanceOf(RdmaConnectException::class.java)
            assertThat(attempts).containsExactly(0, 1, 2)
            val running =
                launch(Dispatchers.Default) {
                    RdmaClient.reconnect(
                        "127.0.0.1",
                        server.port,
                        { _, _ -> true },
                        { small(shared) },
                    ) { it.awaitClosed() }
                }
            withContext(Dispatchers.IO) {
                await().atMost(Duration.ofSeconds(60)).until { shared.endpoints().size == 2 }
            }
            running.cancelAndJoin() // closes its connection; serving() checks that none is left
        }

    @Test
    fun `a connect that is cancelled midway leaves nothing`() =
        serving { shared, server ->
            ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { silent ->
                val connecting =
                    launch(Dispatchers.Default) {
                        RdmaClient.connect("127.0.0.1", silent.localPort) { small(shared) }
                    }
                withContext(Dispatchers.IO) {
                    silent.soTimeout = 60_000
                    silent.accept().use { accepted ->
                        accepted.soTimeout = 60_000
                        assertThat(accepted.getInputStream().readNBytes(56)).hasSize(56) // the queue pair exists
                        connecting.cancelAndJoin()
                        assertThat(accepted.getInputStream().read()).isEqualTo(-1)
                    }
                }
            }
            assertEchoes(shared, server)
        }

    @Test
    fun `a connect that is cancelled at any moment leaves nothing`() =
        serving { shared, server ->
            repeat(60) {
                val connecting =
                    launch(Dispatchers.Default) {
                        RdmaClient.connect("127.0.0.1", server.port) { small(shared) }.close()
                    }
                delay(Random.nextLong(15_000).microseconds)
                connecting.cancelAndJoin()
            }
            assertEchoes(shared, server)
        }

    @Test
    fun `a server that stalls is a time-out`() =
        serving { shared, server ->
            ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { silent ->
                val failure =
                    runCatching {
                        RdmaClient.connect("127.0.0.1", silent.localPort) {
                            small(shared)
                            options = options.withHandshakeTimeout(Duration.ofMillis(300))
                        }
                    }.exceptionOrNull()
                assertThat(failure).isInstanceOf(RdmaConnectException::class.java)
                assertThat((failure as RdmaConnectException).reason()).isEqualTo(RdmaConnectException.Reason.TIMEOUT)
            }
            assertEchoes(shared, server)
        }

    @Test
    fun `a server that is closed ends its connections and breaks off exchanges`() =
        serving { shared, server ->
            val connection = RdmaClient.connect("127.0.0.1", server.port) { small(shared) }
            Socket("127.0.0.1", server.port).use { stalled ->
                server.closeAndAwait()
                withContext(Dispatchers.IO) { HangUp.await(stalled) }
            }
            connection.awaitClosed()
            assertThat(shared.endpoints()).isEmpty()
        }

    @Test
    fun `a handler that fails or is cancelled ends its own connection only`() =
        serving { shared, server ->
            assertEchoes(shared, server)
            val other = RdmaServer.bind("127.0.0.1", 0) { small(shared) }
            val serving = launch(Dispatchers.Default) { other.serve { error("a handler's mistake, on purpose") } }
            RdmaClient.connect("127.0.0.1", other.port) { small(shared) }.awaitClosed()
            RdmaClient.connect("127.0.0.1", other.port) { small(shared) }.awaitClosed()
            serving.cancelAndJoin()
            other.closeAndAwait()
            assertEchoes(shared, server)
        }
}
