package io.rdma.coroutines.samples

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Tests that the samples of the KDoc do what they show. */
@Timeout(180)
class SamplesTest {
    private fun serving(test: suspend (Int) -> Unit) =
        runBlocking {
            val port = CompletableDeferred<Int>()
            val serving = launch(Dispatchers.Default) { serve(HOST) { port.complete(it) } }
            test(port.await())
            serving.cancelAndJoin()
        }

    private fun connected(test: suspend (RdmaConnection) -> Unit) =
        serving { port -> RdmaClient.connect(HOST, port) { device = "soft0" }.use { test(it) } }

    @Test
    fun `connecting, serving and reconnecting`() =
        serving { port ->
            assertThat(connect(HOST, port)).isEqualTo("hello")
            assertThat(reconnect(HOST, port)).isEqualTo("again")
        }

    @Test
    fun `a connection of a pool`() =
        serving { port ->
            assertThat(pooled(HOST, port, "question")).isEqualTo("question")
        }

    @Test
    fun `calls and an error with a type`() =
        runBlocking {
            val server = RdmaServer.bind(HOST, 0) { device = "soft0" }
            val serving = launch(Dispatchers.Default) { server.serve { callServer().serve(it) } }
            RdmaClient.connect(HOST, server.port) { device = "soft0" }.use { connection ->
                assertThat(calls(connection)).hasSize(3).allSatisfy { assertThat(it).isBetween(1, 6) }
            }
            server.closeAndAwait()
            serving.join()
        }

    @Test
    fun `a flow is sent and a flow is received`() =
        connected { connection ->
            sendFlow(connection, flowOf("a", "b", "c"))
            assertThat(incoming(connection)).containsExactly("a", "b", "c")
        }

    @Test
    fun `a receive that runs out of time takes nothing`() =
        connected { connection ->
            assertThat(timeout(connection)).isNull()
            sendFlow(connection, flowOf("late"))
            assertThat(connection.receive { String(it.toByteArray()) }).isEqualTo("late")
        }

    @Test
    fun `a server is configured`() =
        runBlocking {
            val server = configuration(null)
            assertThat(server.port).isPositive()
            server.closeAndAwait()
        }

    @Test
    fun `values and buffers are sent and received`() =
        connected { connection ->
            assertThat(serialized(connection)).isEqualTo(Reading("roof", 21.5))
            assertThat(buffers(connection)).isEqualTo(Int.SIZE_BYTES + 5L)
        }

    @Test
    fun `a stream of bytes comes back`() =
        connected { connection ->
            assertThat(byteStream(connection)).isEqualTo(5)
        }

    @Test
    fun `one-sided operations on memory that was granted`() =
        runBlocking {
            val server =
                io.rdma.coroutines.RdmaServer
                    .bind(HOST, 0) { device = "soft0" }
            val serving =
                launch(Dispatchers.Default) {
                    server.serve { peer ->
                        val memory = grant(peer)
                        peer.send(RemoteMemory.ENCODED_BYTES) { memory.encode(it) }
                        awaitCancellation()
                    }
                }
            RdmaClient.connect(HOST, server.port) { device = "soft0" }.use { connection ->
                val counter = connection.receive { RemoteMemory.decode(it.segment()) }
                assertThat(oneSided(connection, counter)).isEqualTo(0)
                assertThat(oneSided(connection, counter)).isEqualTo(1)
            }
            serving.cancelAndJoin()
            server.closeAndAwait()
        }

    private companion object {
        const val HOST = "127.0.0.1"
    }
}
