package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.testing.CapturedLog
import io.rdma.testing.TestDevice
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.logging.Level
import java.util.logging.Logger
import kotlin.time.Duration.Companion.seconds

/** Contract of the wiretap, the same on every device. The client is tapped, its peer is not. */
abstract class WiretapContract : PairContract() {
    private val logger = Logger.getLogger(CATEGORY)
    private lateinit var log: CapturedLog

    @BeforeEach
    fun capture() {
        logger.level = Level.FINE
        log = CapturedLog(CATEGORY)
    }

    @AfterEach
    fun release() {
        log.close()
        logger.level = null
    }

    private fun tapped(test: suspend (Pair) -> Unit) = connected({ wiretap = CATEGORY }) { test(it) }

    @Test
    fun `events and messages are logged`() =
        tapped { pair ->
            assertThat(log.has("FINE", pair.client.toString(), "CONNECTED")).isTrue()
            pair.client.send("hello, wire!")
            pair.peer.send(pair.peer.receiveText())
            assertThat(pair.client.receiveText()).isEqualTo("hello, wire!")
            for (direction in listOf("SEND", "RECEIVED")) {
                val dump = "0000  68 65 6c 6c 6f 2c 20 77 69 72 65 21"
                assertThat(log.has("FINE", "$direction 12 bytes", dump, "  hello, wire!")).`as`(direction).isTrue()
            }
            pair.client.closeAndAwait()
            await().atMost(PATIENCE).until { log.has("FINE", pair.client.toString(), "CLOSED") }
        }

    @Test
    fun `the connections of a server are logged`() {
        TestDevice.assumed(device)
        runBlocking {
            withTimeout(120.seconds) {
                val server =
                    RdmaServer.bind(host, 0) {
                        small()
                        wiretap = CATEGORY
                    }
                val serving = launch { server.serve { it.send("served") } }
                RdmaClient.connect(host, server.port) { small() }.use {
                    assertThat(it.receiveText()).isEqualTo("served")
                }
                server.closeAndAwait()
                serving.join()
            }
        }
        assertThat(log.has("FINE", "CONNECTED")).isTrue()
        assertThat(log.has("SEND 6 bytes", "served")).isTrue()
        await().atMost(PATIENCE).until { log.has("CLOSED") }
    }

    @Test
    fun `every way to send and to receive is logged once`() =
        tapped { pair ->
            val bytes = "eleven bits".toByteArray()
            val region = pair.client.allocate(bytes.size.toLong(), AccessFlag.LOCAL_WRITE)
            region.segment().asByteBuffer().put(bytes)
            pair.client.send("eleven bits")
            pair.client.send(bytes)
            pair.client.send(ByteBuffer.wrap(bytes))
            pair.client.send(region.segment().asByteBuffer())
            pair.client.send(flowOf("eleven bits"))
            pair.client.acquire().use { leased ->
                leased.segment().asByteBuffer().put(bytes)
                leased.limit(bytes.size)
                pair.client.send(leased)
                pair.client.sendWithImmediate(leased, 7)
            }
            val received =
                pair.peer
                    .incoming()
                    .bytes()
                    .take(7)
                    .toList()
            assertThat(log.lines()).filteredOn { " SEND" in it && "eleven bits" in it }.hasSize(7)
            assertThat(log.has("SEND_WITH_IMM 7 11 bytes")).isTrue()

            for (message in received.take(4)) pair.peer.send(message)
            pair.client.receiveText()
            pair.client.receiveBytesOrNull()
            pair.client
                .incoming()
                .bytes()
                .take(1)
                .toList()
            pair.client
                .receiveOwned()
                .take(1)
                .toList()
                .forEach(ReceivedMessage::close)
            assertThat(log.lines()).filteredOn { "RECEIVED 11 bytes" in it }.hasSize(4)
        }

    @Test
    fun `one-sided operations and refusals are logged`() =
        tapped { pair ->
            val there = pair.peer.allocate(16, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.LOCAL_WRITE)
            val leased = pair.client.acquire()
            leased.limit(16)
            pair.client.write(leased, there.remote())
            pair.client.read(there.remote(), leased)
            assertThat(log.has("WRITE to", "16 bytes")).isTrue()
            assertThat(log.has("READ of")).isTrue()
            val tooShort = runCatching { pair.client.write(leased, RemoteMemory(4096, 8, 1)) }.exceptionOrNull()
            assertThat(tooShort).isInstanceOf(IllegalArgumentException::class.java)
            assertThat(log.has("WRITE to", "failed: java.lang.IllegalArgumentException")).isTrue()
            leased.close()
        }

    @Test
    fun `the level of the logger is tested for each message`() =
        tapped { pair ->
            logger.level = Level.INFO
            val before = log.lines().size
            pair.client.send("quiet")
            pair.peer.receiveText()
            assertThat(log.lines()).hasSize(before)
            logger.level = Level.FINE
            pair.client.send("loud")
            pair.peer.receiveText()
            assertThat(log.has("SEND 4 bytes", "loud")).isTrue()
        }

    private companion object {
        const val CATEGORY = "io.rdma.test.wiretap.coroutines"
        val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}
