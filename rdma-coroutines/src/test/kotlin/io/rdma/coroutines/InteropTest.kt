package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.buffer.RegisteredBuffer
import io.rdma.connect.RdmaResources
import io.rdma.internal.engine.Endpoint
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactive.awaitSingle
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.LinkedBlockingQueue
import kotlin.coroutines.CoroutineContext
import io.rdma.reactive.RdmaClient as ReactorRdmaClient
import io.rdma.reactive.RdmaConnection as ReactorRdmaConnection
import io.rdma.reactive.RdmaServer as ReactorRdmaServer

/** Tests of docs/guide/interop.md: each hazard exists, and each remedy helps against it. */
@Timeout(180)
class InteropTest {
    /**
     * Dispatcher that runs its tasks only on demand, so that a test can act between the arrival of a value and the
     * resumption of the coroutine that waits for it.
     */
    private class ManualDispatcher : CoroutineDispatcher() {
        private val queue = LinkedBlockingQueue<Runnable>()

        override fun dispatch(
            context: CoroutineContext,
            block: Runnable,
        ) {
            queue += block
        }

        fun run() {
            while (true) (queue.poll() ?: return).run()
        }

        fun awaitWork() = await().atMost(PATIENCE).until { queue.isNotEmpty() }
    }

    /**
     * Runs a test with a client of each front-end. A server has sent [MESSAGES] numbers to each of them, and all have
     * arrived.
     */
    private fun connected(test: suspend CoroutineScope.(ReactorRdmaConnection, RdmaConnection) -> Unit) =
        runBlocking {
            RdmaServer.bind(HOST, 0) { device = "soft0" }.use { server ->
                val serving =
                    launch(Dispatchers.Default) {
                        server.serve { peer ->
                            repeat(
                                MESSAGES,
                            ) { n -> peer.send(Int.SIZE_BYTES) { it.set(ValueLayout.JAVA_INT_UNALIGNED, 0, n) } }
                            awaitCancellation()
                        }
                    }
                val host = HOST
                val port = server.port
                val resources = RdmaResources.open(RdmaDevices.named("soft0"))
                val reactorClient =
                    ReactorRdmaClient
                        .create()
                        .resources(resources)
                        .host(host)
                        .port(port)
                val connection = RdmaClient.connect(host, port) { this.resources = resources }
                val reactor = reactorClient.connectNow(PATIENCE)
                assertThat(Endpoint.of(reactor.endpoint()).loop()).isSameAs(connection.engine.loop())
                for (endpoint in listOf(reactor.endpoint(), connection.endpoint)) {
                    await().atMost(PATIENCE).until { endpoint.outstandingReceives() == MESSAGES }
                }
                test(reactor, connection)
                assertThat(reactor.endpoint().sendBuffers().leased()).isZero()
                assertThat(connection.endpoint.sendBuffers().leased()).isZero()
                reactor.disposeNow(PATIENCE)
                connection.closeAndAwait()
                resources.close()
                serving.cancelAndJoin()
            }
        }

    private fun number(message: ReceivedMessage): Int = message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0)

    /** Cancels a coroutine that runs [wait], after the buffer that it waits for has arrived and before it resumes. */
    private fun CoroutineScope.cancelBeforeResumption(
        all: List<RegisteredBuffer>,
        wait: suspend () -> Unit,
    ) {
        val dispatcher = ManualDispatcher()
        val waiting = launch(dispatcher) { wait() }
        dispatcher.run()
        assertThat(waiting.isCompleted).isFalse()
        all.first().close()
        dispatcher.awaitWork()
        waiting.cancel()
        dispatcher.run()
        await().atMost(PATIENCE).until {
            dispatcher.run()
            waiting.isCompleted
        }
        all.drop(1).forEach(RegisteredBuffer::close)
    }

    @Test
    fun `hazard - awaitSingle drops a buffer that comes when the coroutine is cancelled`() =
        connected { connection, _ ->
            val pool = connection.endpoint().sendBuffers()
            val all =
                List(Endpoint.of(connection.endpoint()).options().sendBuffers()) { connection.acquire().awaitSingle() }
            var lost: RegisteredBuffer? = null
            cancelBeforeResumption(all) {
                connection
                    .acquire()
                    .doOnNext { lost = it }
                    .doOnDiscard(RegisteredBuffer::class.java, RegisteredBuffer::close)
                    .awaitSingle()
                    .close()
            }
            assertThat(pool.leased()).`as`("nobody has it").isEqualTo(1)
            checkNotNull(lost).close()
        }

    @Test
    fun `remedy - the coroutines' acquire gives the buffer back`() =
        connected { _, connection ->
            val all = List(connection.engine.options().sendBuffers()) { connection.acquire() }
            cancelBeforeResumption(all) { connection.acquire().use { } }
        }

    private suspend fun <T : Any> ReactorRdmaConnection.withBuffer(block: suspend (RegisteredBuffer) -> T): T =
        Mono
            .usingWhen(
                acquire(),
                { buffer -> mono { block(buffer) } },
                { buffer -> Mono.fromRunnable<Unit>(buffer::close) },
            ).awaitSingle()

    @Test
    fun `remedy - usingWhen owns the buffer`() =
        connected { connection, _ ->
            assertThat(connection.withBuffer { it.capacity() }).isPositive()
            val all =
                List(Endpoint.of(connection.endpoint()).options().sendBuffers()) { connection.acquire().awaitSingle() }
            val blocked = CompletableDeferred<Unit>()
            val dispatcher = ManualDispatcher()
            val waiting = launch(dispatcher) { connection.withBuffer { blocked.await() } }
            dispatcher.run()
            all.first().close()
            waiting.cancel()
            await().atMost(PATIENCE).until {
                dispatcher.run()
                waiting.isCompleted
            }
            all.drop(1).forEach(RegisteredBuffer::close)
            await().atMost(PATIENCE).until { connection.endpoint().sendBuffers().leased() == 0 }
        }

    @Test
    fun `remedy - an operation that owns nothing loses nothing`() =
        connected { connection, _ ->
            connection.send(5) { }.thenReturn(Unit).awaitSingle()
            val first = connection.receive(::number).next().awaitSingle()
            assertThat(first).isEqualTo(0)
        }

    @Test
    fun `hazard - asFlow takes more than its collector, and drops it`() =
        connected { connection, _ ->
            val seen = CopyOnWriteArrayList<ReceivedMessage>()
            connection
                .receiveOwned()
                .doOnNext { seen += it }
                .doOnDiscard(ReceivedMessage::class.java, ReceivedMessage::close)
                .asFlow()
                .onEach { await().atMost(PATIENCE).until { seen.size == MESSAGES } }
                .first()
                .close()
            assertThat(seen.filter { !it.isClosed }).`as`("open, and nobody has them").hasSize(MESSAGES - 1)
            seen.forEach(ReceivedMessage::close)
        }

    @Test
    fun `remedy - asFlow with a buffer of none takes one at a time`() =
        connected { connection, _ ->
            val numbers = connection.receive(::number).asFlow().buffer(Channel.RENDEZVOUS)
            assertThat(numbers.first()).isEqualTo(0)
            assertThat(numbers.take(MESSAGES - 1).toList()).isEqualTo((1 until MESSAGES).toList())
        }

    @Test
    fun `remedy - the coroutines' flow leaves messages that are not collected`() =
        connected { _, connection ->
            assertThat(connection.incoming().decoded(::number).first()).isEqualTo(0)
            assertThat(
                connection
                    .incoming()
                    .decoded(::number)
                    .take(MESSAGES - 1)
                    .toList(),
            ).isEqualTo((1 until MESSAGES).toList())
        }

    @Test
    fun `a Flux hands on values instead of messages`() =
        connected { _, connection ->
            val payloads = connection.incoming().bytes().asFlux()
            val all = payloads.take(MESSAGES.toLong()).collectList().awaitSingle()
            assertThat(all).hasSize(MESSAGES).allMatch { it.size == Int.SIZE_BYTES }
        }

    private val answeredOn = CopyOnWriteArrayList<String>()

    /** Reverses the question. It suspends, and it might block. */
    private suspend fun answer(question: ByteArray): ByteArray {
        kotlinx.coroutines.delay(1)
        answeredOn += Thread.currentThread().name
        return question.reversedArray()
    }

    @Test
    fun `suspending functions in a Reactor handler, away from the completion loop`() =
        runBlocking {
            val server =
                ReactorRdmaServer
                    .create()
                    .device("soft0")
                    .host(HOST)
                    .handle { connection ->
                        connection
                            .receive { it.toByteArray() }
                            .concatMap { question -> mono { answer(question) } }
                            .concatMap { bytes ->
                                connection.send(bytes.size) { it.copyFrom(MemorySegment.ofArray(bytes)) }
                            }.then()
                    }.bindNow(PATIENCE)
            RdmaClient.connect(HOST, server.port()) { device = "soft0" }.use { connection ->
                connection.send(3) { it.copyFrom(MemorySegment.ofArray("abc".toByteArray())) }
                assertThat(connection.receive { String(it.toByteArray()) }).isEqualTo("cba")
            }
            server.disposeNow(PATIENCE)
            assertThat(answeredOn).isNotEmpty().noneMatch { it.startsWith("rdma-") }
            Unit
        }

    private companion object {
        const val HOST = "127.0.0.1"
        const val MESSAGES = 10
        val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}
