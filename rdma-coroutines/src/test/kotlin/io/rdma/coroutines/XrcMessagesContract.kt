package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaConnectException.Reason
import io.rdma.connect.RdmaResources
import io.rdma.engine.ConnectionClosedException
import io.rdma.testing.TestDevice
import io.rdma.types.WorkCompletionException
import io.rdma.types.WorkCompletionStatus
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Assumptions
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import java.lang.foreign.ValueLayout
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

/**
 * Contract of messages over extended reliable connections, the same on every device: two receivers and a server in one
 * domain, and a sender. Each test ends with the check that nothing is in flight and all buffers are back.
 */
abstract class XrcMessagesContract {
    protected abstract val device: String
    protected abstract val host: String

    private class Ends(
        val servers: RdmaResources,
        val one: RdmaXrcReceiver,
        val other: RdmaXrcReceiver,
        val server: RdmaXrcServer,
        val sender: RdmaXrcSender,
    )

    private fun xrc(test: suspend Ends.() -> Unit) =
        runBlocking {
            withTimeout(PATIENCE) {
                RdmaResources.open(TestDevice.assumed(device)).use { servers ->
                    val one = bindOrSkip(servers)
                    val other = bind(servers)
                    val server =
                        RdmaXrcServer.bind(host, 0) {
                            resources = servers
                            receiveBuffers(BUFFERS, SIZE)
                        }
                    val sender =
                        RdmaXrcSender.connect(host, server.port) {
                            device = this@XrcMessagesContract.device
                            sendBuffers(2 * BUFFERS, 64)
                        }
                    Ends(servers, one, other, server, sender).test()
                    sender.closeAndAwait()
                    assertThat(sender.endpoint.inFlight()).isZero()
                    assertThat(sender.endpoint.sendBuffers().leased()).isZero()
                    awaiting { servers.endpoints().isEmpty() }
                    server.closeAndAwait()
                    for (receiver in listOf(one, other)) {
                        receiver.closeAndAwait()
                        assertThat(receiver.engine.receives().outstanding()).isZero()
                    }
                }
            }
        }

    private suspend fun bind(servers: RdmaResources) =
        RdmaXrcReceiver.bind {
            resources = servers
            receiveBuffers(BUFFERS, SIZE)
        }

    private suspend fun bindOrSkip(servers: RdmaResources): RdmaXrcReceiver =
        try {
            bind(servers)
        } catch (e: RdmaConnectException) {
            assertThat(device).doesNotStartWith("soft") // a software device must not refuse
            assertThat(e.reason()).isEqualTo(Reason.DEVICE)
            Assumptions.abort(e.message!!)
        }

    private fun awaiting(condition: () -> Boolean) = await().atMost(PATIENCE.toJavaDuration()).until(condition)

    private suspend fun Ends.send(
        value: Int,
        to: RdmaXrcReceiver,
    ) = sender.send(4, { it.set(ValueLayout.JAVA_INT, 0, value) }, to.number)

    private fun valueOf(message: ReceivedMessage) = message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0)

    @Test
    fun `one sender reaches each receiver in order`() =
        xrc {
            val arrived = ConcurrentLinkedQueue<Int>()
            val receiving =
                listOf(one, other).map { receiver ->
                    CoroutineScope(Dispatchers.Default).launch {
                        val values =
                            receiver
                                .incoming()
                                .decoded(::valueOf)
                                .take(COUNT)
                                .toList()
                        assertThat(values).isEqualTo((0..<COUNT).toList())
                        arrived += values
                    }
                }
            repeat(COUNT) {
                send(it, one)
                send(it, other)
            }
            receiving.forEach { it.join() }
            assertThat(arrived).hasSize(2 * COUNT)
        }

    @Test
    fun `a sender that meets no receive waits and nothing is lost`() =
        xrc {
            val sending =
                CoroutineScope(Dispatchers.Default).launch {
                    repeat(COUNT) { send(it, one) }
                }
            awaiting { one.engine.receives().outstanding() == BUFFERS && sender.endpoint.inFlight() == 1L }
            assertThat(sending.isActive).isTrue()
            repeat(COUNT) { assertThat(one.receive(::valueOf)).isEqualTo(it) }
            sending.join()
        }

    @Test
    fun `a cancelled send that is posted arrives`() =
        xrc {
            repeat(BUFFERS) { send(it, one) }
            val waiting =
                CoroutineScope(Dispatchers.Default).launch { send(BUFFERS, one) }
            awaiting { sender.endpoint.inFlight() == 1L }
            waiting.cancel()
            waiting.join()
            repeat(BUFFERS + 1) { assertThat(one.receive(::valueOf)).isEqualTo(it) }
        }

    @Test
    fun `a sender that waits for a receive can end`() =
        xrc {
            repeat(BUFFERS) { send(it, one) }
            val waiting =
                CoroutineScope(Dispatchers.Default).async { runCatching { send(BUFFERS, one) } }
            awaiting { sender.endpoint.inFlight() == 1L }
            sender.closeAndAwait()
            assertThat(waiting.await().exceptionOrNull()).isInstanceOf(ConnectionClosedException::class.java)
        }

    @Test
    fun `messages outlive their receiver`() =
        xrc {
            send(7, one)
            val held = one.receiveOwned().first()
            send(8, one) // nobody takes it
            one.closeAndAwait()
            assertThat(valueOf(held)).isEqualTo(7)
            held.close()
        }

    @Test
    fun `messages have immediate data and at most the size of a receive buffer`() =
        xrc {
            sender.send(SIZE, { it.fill(7) }, one.number) // larger than a send buffer
            assertThat(one.receive(ReceivedMessage::toByteArray)).hasSize(SIZE).containsOnly(7)
            assertThat(assertThrows<IllegalArgumentException> { sender.send(SIZE + 1, {}, one.number) })
                .hasMessageContaining("all receivers")
            assertThrows<IllegalArgumentException> { sender.send(1, {}, -1) }
            sender.acquire().use { sender.sendWithImmediate(it.limit(8), -3, other.number) }
            val owned =
                other
                    .receiveOwned()
                    .take(1)
                    .toList()
                    .single()
            assertThat(owned.immediate()).isEqualTo(-3)
            owned.close()
        }

    @Test
    fun `a number without a receiver ends its sender alone`() =
        xrc {
            other.closeAndAwait()
            assertThrows<ConnectionClosedException> { other.receive(::valueOf) }
            val refused = assertThrows<WorkCompletionException> { send(1, other) }
            assertThat(refused.status()).isEqualTo(WorkCompletionStatus.REM_INV_REQ_ERR)
            sender.awaitClosed()
            assertThat(sender.isClosed).isTrue()
            assertThat(assertThrows<ConnectionClosedException> { send(2, one) })
                .hasCauseInstanceOf(WorkCompletionException::class.java)
            assertThat(one.isClosed).isFalse()
        }

    @Test
    fun `a server that closes ends its senders, and receivers stay`() =
        xrc {
            send(0, one)
            server.closeAndAwait()
            sender.awaitClosed()
            assertThat(one.receive(::valueOf)).isZero()
        }

    companion object {
        private val PATIENCE = 60.seconds
        private const val BUFFERS = 4
        private const val SIZE = 4096
        private const val COUNT = 10 * BUFFERS
    }
}
