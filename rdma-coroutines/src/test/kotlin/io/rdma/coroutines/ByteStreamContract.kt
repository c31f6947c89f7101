package io.rdma.coroutines

import io.rdma.connect.FlowControl
import io.rdma.coroutines.io.buffers
import io.rdma.coroutines.io.write
import io.rdma.engine.ConnectionClosedException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.io.Buffer
import kotlinx.io.readByteArray
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Contract of byte streams over a connection, the same on every device. */
abstract class ByteStreamContract : PairContract() {
    private fun bytes(length: Int) = ByteArray(length) { (it * 31).toByte() }

    private suspend fun RdmaByteStream.all() = read().toList().fold(ByteArray(0), ByteArray::plus)

    @Test
    fun `bytes arrive in order both ways, whatever the lengths of the writes`() =
        connected { pair ->
            val content = bytes(3 * LARGE + 1)
            val client = RdmaByteStream(pair.client)
            val peer = RdmaByteStream(pair.peer)
            val echo =
                launch {
                    peer.read().collect { peer.write(it) }
                    peer.end()
                }
            val writing =
                launch {
                    var at = 0
                    while (at < content.size) {
                        val next = minOf(content.size, at + 1 + at % (2 * MESSAGE))
                        client.write(content.copyOfRange(at, next))
                        if (at % 5 == 0) client.flush()
                        at = next
                    }
                    client.end()
                }
            assertThat(client.all()).isEqualTo(content)
            assertThat(client.all()).isEmpty()
            writing.join()
            echo.join()
        }

    @Test
    fun `small writes are one message that leaves at the flush`() =
        connected { pair ->
            fun requests() =
                pair.client.endpoint
                    .counters()
                    .let { it.posted() - it.creditFrames() }
            val client = RdmaByteStream(pair.client)
            val before = requests()
            repeat(500) { client.write(byteArrayOf(it.toByte())) }
            assertThat(requests()).isEqualTo(before)
            client.flush()
            client.flush()
            assertThat(RdmaByteStream(pair.peer).read().first()).hasSize(500)
            assertThat(requests() - before).isEqualTo(1)
        }

    @Test
    fun `buffers of kotlinx-io are written and read`() =
        connected { pair ->
            val source = Buffer().apply { write(bytes(LARGE)) }
            val client = RdmaByteStream(pair.client)
            launch {
                client.write(source)
                client.end()
            }
            val all = Buffer()
            RdmaByteStream(pair.peer).buffers().collect { all.transferFrom(it) }
            assertThat(all.readByteArray()).isEqualTo(bytes(LARGE))
            assertThat(source.exhausted()).isTrue()
        }

    private fun cutStreamIsNoEnd(ofClient: RdmaConfiguration.() -> Unit) =
        connected(ofClient) { pair ->
            val client = RdmaByteStream(pair.client)
            val peer = RdmaByteStream(pair.peer)
            val reading = async { runCatching { client.all() } }
            peer.write(bytes(10))
            peer.flush()
            pair.peer.close()
            assertThat(reading.await().exceptionOrNull()).isInstanceOf(ConnectionClosedException::class.java)
        }

    @Test
    fun `a peer that closes within its stream is no end`() = cutStreamIsNoEnd {}

    @Test
    fun `without farewells a close of the peer is no end`() = cutStreamIsNoEnd { flowControl = FlowControl.PLAIN }

    @Test
    fun `a peer that closes behind its end is the end`() =
        connected { pair ->
            val client = RdmaByteStream(pair.client)
            val peer = RdmaByteStream(pair.peer)
            peer.write(bytes(10))
            peer.end()
            pair.peer.close()
            pair.client.awaitClosed()
            assertThat(client.all()).isEqualTo(bytes(10))
        }

    @Test
    fun `a close of this side is no end`() =
        connected { pair ->
            val client = RdmaByteStream(pair.client)
            pair.client.close()
            assertThat(runCatching { client.all() }.exceptionOrNull())
                .isInstanceOf(ConnectionClosedException::class.java)
        }

    @Test
    fun `nothing is written behind the end`() =
        connected { pair ->
            val client = RdmaByteStream(pair.client)
            client.end()
            client.end()
            assertThat(runCatching { client.write(bytes(1)) }.exceptionOrNull())
                .isInstanceOf(IllegalStateException::class.java)
                .hasMessageContaining("has ended")
            assertThat(RdmaByteStream(pair.peer).all()).isEmpty()
        }

    @Test
    fun `bytes that were not flushed are lost, and so no end`() =
        connected { pair ->
            RdmaByteStream(pair.peer).write(bytes(10))
            pair.peer.close()
            assertThat(runCatching { RdmaByteStream(pair.client).all() }.exceptionOrNull())
                .isInstanceOf(ConnectionClosedException::class.java)
        }

    @Test
    fun `a cancelled wait for the end does not end the stream`() =
        connected { pair ->
            val client = RdmaByteStream(pair.client)
            repeat(pair.peer.endpoint.receiveBuffers()) {
                client.write(bytes(1))
                client.flush()
            }
            val ending = launch(start = CoroutineStart.UNDISPATCHED) { client.end() } // the peer has no receive for it
            ending.cancelAndJoin()
            val received = async { RdmaByteStream(pair.peer).all() }
            client.end()
            assertThat(received.await()).hasSize(pair.peer.endpoint.receiveBuffers())
        }
}
