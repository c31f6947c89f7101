package io.rdma.coroutines

import io.rdma.buffer.ReceivedDatagram
import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaResources
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.DatagramTooLongException
import io.rdma.testing.CapturedLog
import io.rdma.testing.TestDevice
import io.rdma.types.VerbsException
import io.rdma.verbs.AddressHandleAttributes
import io.rdma.verbs.DatagramAddress
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.lang.foreign.MemorySegment
import java.net.InetAddress
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import java.util.logging.Level
import java.util.logging.Logger
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of datagrams, the same on every device. A datagram may be lost, so a test sends it again until it has
 * arrived. Each test ends with the check that nothing is in flight and all pools are whole.
 */
abstract class DatagramContract {
    /** Name of the device. */
    abstract val device: String

    /** An address of the device. */
    abstract val host: String

    private suspend fun bind(
        port: Int = 0,
        tap: String? = null,
    ) = RdmaDatagramSocket.bind(host, port) {
        device = this@DatagramContract.device
        wiretap = tap
        receiveBuffers(BUFFERS, 64)
        sendBuffers(4, 64)
    }

    private fun bound(
        tap: String? = null,
        test: suspend CoroutineScope.(one: RdmaDatagramSocket, other: RdmaDatagramSocket) -> Unit,
    ) {
        TestDevice.assumed(device)
        runBlocking {
            withTimeout(120.seconds) {
                val one = bind(tap = tap)
                val other = bind()
                test(one, other)
                for (each in listOf(one, other)) {
                    each.closeAndAwait()
                    await().atMost(Duration.ofSeconds(60)).untilAsserted { assertIdle(each) }
                }
                RdmaResources.shared().closeAndAwait()
                for (each in listOf(one, other)) assertThat(each.engine.paths()).isZero()
            }
        }
    }

    private fun assertIdle(each: RdmaDatagramSocket) {
        assertThat(each.endpoint.inFlight()).isZero()
        assertThat(
            each
                .endpoint
                .sendBuffers()
                .leased(),
        ).isZero()
        assertThat(each.outstanding()).isZero()
        assertThat(each.engine.pathsInUse()).isZero()
    }

    private fun RdmaDatagramSocket.outstanding(): Int = endpoint.outstandingReceives()

    private suspend fun RdmaDatagramSocket.sendText(
        text: String,
        to: DatagramAddress,
    ) {
        val bytes = text.toByteArray()
        send(bytes.size, { it.copyFrom(MemorySegment.ofArray(bytes)) }, to)
    }

    private suspend fun RdmaDatagramSocket.find(service: RdmaDatagramSocket): DatagramAddress =
        resolve(service.localAddress.address.hostAddress, service.localAddress.port)

    /** Repeats an action until [done]. */
    private suspend fun until(
        done: () -> Boolean,
        again: suspend () -> Unit,
    ) {
        while (!done()) {
            again()
            withTimeoutOrNull(200.milliseconds) { while (!done()) yield() }
        }
    }

    private fun CoroutineScope.listen(
        at: RdmaDatagramSocket,
        arrived: MutableCollection<String>,
    ): Job = launch { at.incoming().collect { arrived += String(it.toByteArray()) } }

    private suspend fun CoroutineScope.arrives(
        from: RdmaDatagramSocket,
        at: RdmaDatagramSocket,
        text: String,
    ) {
        val arrived = ConcurrentLinkedQueue<String>()
        val listening = listen(at, arrived)
        val there = from.find(at)
        until({ text in arrived }) { from.sendText(text, there) }
        listening.cancelAndJoin()
    }

    private suspend inline fun <reified E : Throwable> fails(block: () -> Unit): E {
        try {
            block()
        } catch (e: Throwable) {
            assertThat(e).isInstanceOf(E::class.java)
            return e as E
        }
        throw AssertionError("it did not fail")
    }

    @Test
    fun `a resolved peer receives and answers`() =
        bound { one, other ->
            val service = one.find(other)
            assertThat(service.qpNumber()).isEqualTo(other.endpoint.qpNumber())
            val serving =
                launch {
                    other.incoming().collect { other.sendText("you said ${String(it.toByteArray())}", it.source()) }
                }
            val answers = ConcurrentLinkedQueue<String>()
            val listening = listen(one, answers)
            until({ "you said hello" in answers }) { one.sendText("hello", service) }
            serving.cancelAndJoin()
            listening.cancelAndJoin()
        }

    @Test
    fun `a wiretap logs datagrams`() {
        val logger = Logger.getLogger("io.rdma.test.wiretap.datagrams")
        logger.level = Level.FINE
        CapturedLog(logger.name).use { log ->
            bound(logger.name) { one, other ->
                arrives(one, other, "bye")
                arrives(other, one, "hello")
                assertThat(log.has("FINE", one.toString(), "BOUND")).isTrue()
                assertThat(log.has("SEND to ", " 3 bytes", "62 79 65")).isTrue()
                assertThat(log.has("RECEIVED 5 bytes", "68 65 6c 6c 6f")).isTrue()
                one.closeAndAwait()
                await().atMost(Duration.ofSeconds(60)).until { log.has("CLOSED") }
            }
        }
        logger.level = null
    }

    @Test
    fun `the source is the sender, and one datagram can be received`() =
        bound { one, other ->
            val service = one.find(other)
            val received = ConcurrentLinkedQueue<DatagramAddress>()
            val receiving = launch { received += other.receive(ReceivedDatagram::source) }
            until({ received.isNotEmpty() }) { one.sendText("x", service) }
            receiving.join()
            val source = received.first()
            val found = other.find(one) // its hop limit may differ
            assertThat(source.qpNumber()).isEqualTo(found.qpNumber())
            assertThat(source.path().route()?.dgid()).isEqualTo(found.path().route()?.dgid())
        }

    @Test
    fun `an empty datagram, the largest and immediate data arrive`() =
        bound { one, other ->
            val service = one.find(other)
            val mtu = one.maxMessageSize
            val arrived = ConcurrentLinkedQueue<String>()
            val listening =
                launch {
                    other.incoming().collect {
                        arrived += if (it.hasImmediate()) "${it.length()} with ${it.immediate()}" else "${it.length()}"
                    }
                }
            until({ "0" in arrived }) { one.send(0, {}, service) }
            until({ "$mtu" in arrived }) { one.send(mtu, { it.fill(7) }, service) }
            one.acquire().use { buffer ->
                until({ "3 with 16909060" in arrived }) { one.sendWithImmediate(buffer.limit(3), 0x01020304, service) }
                until({ "5" in arrived }) { one.send(buffer.limit(5), service) }
            }
            listening.cancelAndJoin()
        }

    @Test
    fun `a datagram longer than a packet is refused with the limit`() =
        bound { one, other ->
            val service = one.find(other)
            val mtu = one.maxMessageSize
            val error = fails<DatagramTooLongException> { one.send(mtu + 1, {}, service) }
            assertThat(error.limit()).isEqualTo(mtu)
            fails<IllegalArgumentException> { one.send(-1, {}, service) }
            arrives(one, other, "and on")
        }

    @Test
    fun `a port without a listener and a path that cannot be made fail their callers only`() =
        bound { one, other ->
            val gone = bind()
            gone.closeAndAwait()
            val refused = fails<RdmaConnectException> { one.resolve(host, gone.localAddress.port) }
            assertThat(refused.reason()).isEqualTo(RdmaConnectException.Reason.REJECTED)
            val service = one.find(other)
            val unroutable =
                DatagramAddress(
                    AddressHandleAttributes.of(7, service.path().port()),
                    service.qpNumber(),
                    service.qkey(),
                )
            fails<VerbsException> { one.sendText("there", unroutable) }
            assertThat(one.engine.paths()).isZero()
            arrives(one, other, "and on")
        }

    @Test
    fun `datagrams without a collector wait in their buffers and the rest is lost`() =
        bound { one, other ->
            val service = one.find(other)
            val number = AtomicInteger()
            until({ other.outstanding() == BUFFERS }) { one.sendText("${number.getAndIncrement()}", service) }
            repeat(5) { one.sendText("too much", service) }
            assertThat(other.outstanding()).isEqualTo(BUFFERS)
            val texts = other.incoming().texts()
            assertThat(texts.take(3).toList()).containsExactly("0", "1", "2")
            val owned = other.receiveOwned().first()
            assertThat(owned.use { String(it.toByteArray()) }).isEqualTo("3")
            assertThat(texts.take(4).toList()).containsExactly("4", "5", "6", "7")
            arrives(one, other, "later")
        }

    @Test
    fun `a cancellation at any time loses no buffer and no path`() =
        bound { one, other ->
            val service = one.find(other)
            val listening = listen(other, ConcurrentLinkedQueue())
            val sending =
                (0 until 200).map { i ->
                    val way =
                        DatagramAddress(service.path().withServiceLevel(i % 8), service.qpNumber(), service.qkey())
                    val job = launch { one.sendText("cancelled $i", way) }
                    if (i % 3 == 0) job.cancel()
                    if (i % 5 == 0) yield()
                    job
                }
            sending.forEachIndexed { i, job -> if (i % 4 != 0) job.cancel() }
            sending.forEach { it.join() }
            await().atMost(Duration.ofSeconds(60)).untilAsserted { assertIdle(one) }
            listening.cancelAndJoin()
            arrives(one, other, "and on")
        }

    @Test
    fun `closing ends every send once and every collector`() =
        bound { one, other ->
            val service = one.find(other)
            val collector = launch { one.incoming().collect {} }
            val outcomes = ConcurrentLinkedQueue<Result<Unit>>()
            val sending =
                (0 until 200).map { i ->
                    launch { outcomes += runCatching { one.sendText("message $i", service) } }
                }
            yield()
            one.close()
            sending.forEach { it.join() }
            collector.join()
            assertThat(outcomes).hasSize(200)
            assertThat(outcomes.mapNotNull { it.exceptionOrNull() })
                .allSatisfy { assertThat(it).isInstanceOf(ConnectionClosedException::class.java) }
            fails<ConnectionClosedException> { one.sendText("after", service) }
            assertThat(one.isClosed).isTrue()
        }

    @Test
    fun `every member receives what is sent to the group`() =
        bound { one, other ->
            val group = InetAddress.getByAddress(byteArrayOf(239.toByte(), 77, 79, 1))
            other.join(group)
            val everybody = one.join(group)
            assertThat(everybody.qpNumber()).isEqualTo(DatagramAddress.MULTICAST_QP_NUMBER)
            val arrived = ConcurrentLinkedQueue<String>()
            val listening = listen(other, arrived)
            until({ "to all" in arrived }) { one.sendText("to all", everybody) }
            other.leave(group)
            fails<IllegalStateException> { other.leave(group) }
            listening.cancelAndJoin()
        }

    private companion object {
        private const val BUFFERS = 8
    }
}
