package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.connect.RdmaResources
import io.rdma.reactive.RdmaSharedResources
import io.rdma.testing.TestDevice
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.lang.foreign.ValueLayout
import kotlin.time.Duration.Companion.seconds
import io.rdma.reactive.RdmaClient as ReactorRdmaClient

/** Tests of the resources of the process, from Kotlin and from both front-ends at once. */
@Timeout(180)
class SharedResourcesTest {
    @BeforeEach
    @AfterEach
    fun dispose() {
        RdmaSharedResources.disposeLater().block()
    }

    private fun contexts() = RdmaResources.shared().open().map { it.context() }

    /** Runs a test with a server that answers each message with its length. */
    private fun served(test: suspend (port: Int) -> Unit) =
        runBlocking {
            RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }.use { server ->
                val serving =
                    launch(Dispatchers.Default) {
                        server.serve { peer ->
                            peer.incoming().collect { message ->
                                val length = message.length()
                                peer.send(Int.SIZE_BYTES) { it.set(ValueLayout.JAVA_INT_UNALIGNED, 0, length) }
                            }
                        }
                    }
                withTimeout(60.seconds) { test(server.port) }
                serving.cancel()
            }
        }

    private suspend fun connect(port: Int) = RdmaClient.connect("127.0.0.1", port) { device = "soft0" }

    @Test
    fun `both front-ends share one device`() =
        served { port ->
            val reactor =
                ReactorRdmaClient
                    .create()
                    .device("soft0")
                    .host("127.0.0.1")
                    .port(port)
                    .connect()
                    .awaitSingle()
            val connections = runBlocking { List(16) { async(Dispatchers.Default) { connect(port) } }.awaitAll() }
            val open = RdmaResources.shared().open()
            assertThat(open).hasSize(1)
            assertThat(open.single().endpoints()).contains(reactor.endpoint()).hasSizeGreaterThanOrEqualTo(17)
            assertThat(open.single().endpoints()).containsAll(connections.map { it.endpoint })
            reactor.send(8) { it.fill(1) }.awaitSingleOrNull()
            assertThat(reactor.receive(ReceivedMessage::length).next().awaitSingle()).isEqualTo(Int.SIZE_BYTES)
            connections.forEach { it.closeAndAwait() }
            reactor.disposeLater().awaitSingleOrNull()
        }

    @Test
    fun `closing all ends connections, and the next one opens the device anew`() {
        served { port ->
            val connection = connect(port)
            val first = contexts().single()
            RdmaResources.shared().closeAndAwait()
            connection.awaitClosed()
            TestDevice.awaitClosed(first)
            assertThat(contexts()).isEmpty()
        }
        served { port ->
            connect(port).closeAndAwait()
            assertThat(contexts()).hasSize(1)
        }
    }
}
