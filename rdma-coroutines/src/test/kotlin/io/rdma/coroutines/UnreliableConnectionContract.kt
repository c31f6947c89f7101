package io.rdma.coroutines

import io.rdma.connect.RdmaConnectException
import io.rdma.coroutines.call.RdmaCallServer
import io.rdma.coroutines.call.withCalls
import io.rdma.engine.NoReadsException
import io.rdma.engine.UnreliableConnectionException
import io.rdma.engine.UnsupportedRequestException
import io.rdma.testing.TestDevice
import io.rdma.types.AccessFlag
import io.rdma.verbs.QueuePairType
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.count
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.invoke.VarHandle
import java.time.Duration

/** Unreliable connections of the front-end: a message that is lost is counted, and nothing waits for it. */
abstract class UnreliableConnectionContract : PairContract() {
    override val type = QueuePairType.UC

    private fun unreliable(test: suspend (Pair) -> Unit) {
        TestDevice.assumedInfiniBand(device)
        connected { test(it) }
    }

    /** Waits until the device of the peer has handled what was sent. */
    private suspend fun fence(pair: Pair) {
        pair.peer.allocate(1, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE).use { mark ->
            pair.client.acquire().use { one ->
                one.limit(1).segment().set(JAVA_BYTE, 0, 1)
                await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).until {
                    runBlocking { pair.client.write(one, mark.remote()) } // a fence may be lost, too
                    VarHandle.fullFence()
                    mark.segment().get(JAVA_BYTE, 0) == 1.toByte()
                }
            }
        }
    }

    @Test
    fun `messages arrive in order in both directions`() =
        unreliable { pair ->
            repeat(100) {
                pair.client.send("there $it")
                assertThat(pair.peer.receiveText()).isEqualTo("there $it")
                pair.peer.send("back $it")
                assertThat(pair.client.receiveText()).isEqualTo("back $it")
            }
            assertThat(pair.client.endpoint.lostMessages()).isZero()
            assertThat(pair.peer.endpoint.lostMessages()).isZero()
        }

    @Test
    fun `a flow of more messages than the receiver takes loses some and goes on`() =
        unreliable { pair ->
            pair.client.send((0..<100).asFlow().map { "message $it" })
            fence(pair)
            val received =
                pair.peer
                    .incoming()
                    .texts()
                    .take(RECEIVES)
                    .toList()
            assertThat(received).isEqualTo((0..<RECEIVES).map { "message $it" })
            pair.client.send("the next")
            assertThat(pair.peer.receiveText()).isEqualTo("the next")
            assertThat(pair.peer.endpoint.lostMessages()).isEqualTo(100L - RECEIVES)
        }

    @Test
    fun `what needs every message is refused`() =
        unreliable { pair ->
            assertThrows<UnreliableConnectionException> { pair.client.withCalls(Json) { } }
            assertThrows<UnreliableConnectionException> { RdmaCallServer(Json) { }.serve(pair.peer) }
            assertThrows<UnreliableConnectionException> { RdmaByteStream(pair.client) }
            pair.client.send("it goes on")
            assertThat(pair.peer.receiveText()).isEqualTo("it goes on")
            pair.peer.send("and back")
            assertThat(pair.client.receiveText()).isEqualTo("and back")
        }

    @Test
    fun `operations that the transport lacks throw`() =
        unreliable { pair ->
            pair.peer.allocate(8, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE).use { there ->
                assertThrows<NoReadsException> { pair.client.fetchAndAdd(there.remote(), 1) }
                pair.client.acquire().use { buffer ->
                    buffer.limit(1)
                    assertThrows<UnsupportedRequestException> { pair.client.sendWithImmediate(buffer, 1) }
                }
            }
            assertThrows<IllegalArgumentException> { pair.client.send(MESSAGE + 1) { } }
            pair.client.send("it goes on")
            assertThat(pair.peer.receiveText()).isEqualTo("it goes on")
        }

    @Test
    fun `a client that asks for a reliable connection is refused`() =
        unreliable { pair ->
            val refused =
                assertThrows<RdmaConnectException> {
                    RdmaClient.connect(host, pair.server.port) {
                        small()
                        queuePairType = QueuePairType.RC
                    }
                }
            assertThat(refused).hasMessageContaining("queuePairType")
        }

    @Test
    fun `the end of the peer ends the flow`() =
        unreliable { pair ->
            pair.client.closeAndAwait()
            assertThat(
                pair.peer
                    .incoming()
                    .texts()
                    .count(),
            ).isZero()
        }

    private companion object {
        const val RECEIVES = 16
    }
}
