package io.rdma.coroutines.call

import io.rdma.buffer.MessageDecodingException
import io.rdma.call.RdmaCallException
import io.rdma.call.RdmaCallException.Status
import io.rdma.coroutines.PairContract
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.call.CallFrame
import io.rdma.internal.call.CallTable
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.INFINITE
import kotlin.time.Duration.Companion.ZERO
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** Contract of calls, the same on every device. */
abstract class CallContract : PairContract() {
    private val running = AtomicInteger()
    private val mostRunning = AtomicInteger()
    private val entered = Channel<Unit>(Channel.UNLIMITED)
    private val cancelled = Channel<Unit>(Channel.UNLIMITED)
    private val gate = CompletableDeferred<Unit>()

    private fun handlers(maxInFlight: Int = 64) =
        RdmaCallServer(Json, maxInFlight) {
            handle<Int, Int>("double") { it * 2 }
            handle<Int, String>("repeat") { "x".repeat(it) }
            handle<String, Int>("length") { it.length }
            handle<String, Int>("refuse") { throw RdmaCallException.of("order.refused", "no $it") }
            handle<String, Int>("fail") { throw UnsupportedOperationException(it) }
            handle<Int, Int>("todo") { TODO("not written") }
            handle<Int, Int>("gated") { number ->
                mostRunning.accumulateAndGet(running.incrementAndGet(), ::maxOf)
                entered.send(Unit)
                try {
                    gate.await()
                    number
                } finally {
                    running.decrementAndGet()
                }
            }
            handle<Unit, Int>("endless") {
                entered.send(Unit)
                try {
                    awaitCancellation()
                } finally {
                    cancelled.trySend(Unit)
                }
            }
        }

    /** Runs [test] with a client of a server with the handlers above. */
    private fun calling(
        ofServer: Int = 64,
        ofClient: Int = 64,
        test: suspend CoroutineScope.(Served) -> Unit,
    ) = connected { pair ->
        val server = handlers(ofServer)
        supervisorScope {
            val serving =
                async(Dispatchers.Default) {
                    runCatching { server.serve(pair.peer) }.onFailure { pair.peer.abort(it) } // as RdmaServer.serve
                }
            pair.client.withCalls(Json, ofClient) { client ->
                test(Served(pair, server, client, serving::isCompleted))
            }
            pair.client.closeAndAwait()
            serving.await()
        }
    }

    private class Served(
        val pair: Pair,
        val server: RdmaCallServer,
        val client: RdmaCallClient,
        val hasEnded: () -> Boolean,
    )

    private suspend fun failure(call: suspend () -> Unit): Throwable =
        checkNotNull(runCatching { call() }.exceptionOrNull()) { "the call did not fail" }

    /** Checks the error of a call, and that other calls of the connection go on. */
    private suspend fun Served.fails(
        status: Status,
        remedy: String,
        type: String = "",
        call: suspend () -> Unit,
    ): Throwable {
        val error = failure(call)
        assertThat(error).isInstanceOfSatisfying(RdmaCallException::class.java) {
            assertThat(it.status()).isEqualTo(status)
            assertThat(it.type()).isEqualTo(type)
            assertThat(it.message).contains(remedy)
        }
        assertThat(client.call<Int, Int>("double", 21, PATIENCE)).isEqualTo(42)
        return error
    }

    private suspend fun eventually(condition: () -> Unit) =
        withContext(Dispatchers.IO) { await().atMost(Duration.ofSeconds(60)).untilAsserted { condition() } }

    @Test
    fun `each of many calls at a time gets its own answer`() =
        calling(ofClient = 8, ofServer = 8) { served ->
            val answers = (1..200).map { async { served.client.call<Int, Int>("double", it, PATIENCE) } }.awaitAll()
            assertThat(answers).isEqualTo((1..200).map { 2 * it })
            eventually { assertThat(served.server.inFlight).isZero() }
        }

    @Test
    fun `large requests and answers arrive`() =
        calling { served ->
            assertThat(served.client.call<String, Int>("length", "y".repeat(90 * MESSAGE), INFINITE))
                .isEqualTo(90 * MESSAGE)
            assertThat(served.client.call<Int, String>("repeat", 90 * MESSAGE, PATIENCE)).hasSize(90 * MESSAGE)
        }

    @Test
    fun `a request that cannot be sent for want of stack fails alone`() =
        connected { pair ->
            val table = CallTable<OutgoingCall>(1)
            val sending = CoroutineScope(SupervisorJob() + WithoutStack)
            val call = OutgoingCall(pair.client, sending, table, "double", "21".toByteArray(), PATIENCE)
            table.submit(call)
            sending.coroutineContext.job.children
                .forEach { it.join() }
            assertThat(table.inFlight()).isZero()
            assertThat(failure { call.await() }).isInstanceOf(StackOverflowError::class.java)
        }

    /** Dispatcher whose threads have no room on their stacks to submit an operation. */
    private object WithoutStack : CoroutineDispatcher() {
        private const val STACK_BYTES = 512L * 1024

        override fun dispatch(
            context: CoroutineContext,
            block: Runnable,
        ) = Thread(null, { atTheEnd(block) }, "without-stack", STACK_BYTES).start()

        private fun atTheEnd(block: Runnable) {
            if (StackRoom.has(StackRoom.SUBMIT)) atTheEnd(block) else block.run()
        }
    }

    @Test
    fun `a request that is too long fails alone`() =
        calling(ofClient = 1) { served ->
            assertThat(failure { served.client.call<String, Int>("length", "y".repeat(LARGE), PATIENCE) })
                .isInstanceOf(IllegalArgumentException::class.java)
            assertThat(served.client.call<Int, Int>("double", 1, PATIENCE)).isEqualTo(2)
        }

    @Test
    fun `an answer that is too long is an error of its call`() =
        calling { served ->
            served.fails(Status.FAILED, "log of the server", "java.lang.IllegalArgumentException") {
                served.client.call<Int, String>("repeat", LARGE, PATIENCE)
            }
        }

    @Test
    fun `a call to nobody names the remedy`() =
        calling { served ->
            served.fails(Status.UNKNOWN_CALL, "no handler of the name \"nobody\": add one by handle(\"nobody\"") {
                served.client.call<Int, Int>("nobody", 1, PATIENCE)
            }
        }

    @Test
    fun `a request that does not decode names the remedy`() =
        calling { served ->
            served.fails(Status.UNDECODABLE_REQUEST, "same type, format and version") {
                served.client.call<String, Int>("double", "two", PATIENCE)
            }
        }

    @Test
    fun `an answer that does not decode names the remedy`() =
        calling { served ->
            val error =
                served.fails(Status.UNDECODABLE_ANSWER, "same type, format and version") {
                    served.client.call<Int, Int>("repeat", 3, PATIENCE)
                }
            assertThat(error).hasCauseInstanceOf(MessageDecodingException::class.java)
        }

    @Test
    fun `an error of the application has its type and its text`() =
        calling { served ->
            served.fails(Status.APPLICATION, "no bread", "order.refused") {
                served.client.call<String, Int>("refuse", "bread", PATIENCE)
            }
        }

    @Test
    fun `of another failure the caller learns the class and not the text`() =
        calling { served ->
            val error =
                served.fails(Status.FAILED, "log of the server", "java.lang.UnsupportedOperationException") {
                    served.client.call<String, Int>("fail", "secret", PATIENCE)
                }
            assertThat(error).hasMessageNotContaining("secret")
            served.fails(Status.FAILED, "log of the server", "kotlin.NotImplementedError") {
                served.client.call<Int, Int>("todo", 1, PATIENCE)
            }
        }

    @Test
    fun `a message that is no request of this version is answered`() =
        connected { pair ->
            val serving = launch { handlers().serve(pair.peer) }
            val other = byteArrayOf(9, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0)
            val noKind = byteArrayOf(1, 99, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0)
            val longName = byteArrayOf(1, 1, 0, 200.toByte(), 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0)
            for ((message, id) in listOf(other to 258, noKind to 258, longName to 258, ByteArray(3) to 0)) {
                pair.client.send(message)
                val error =
                    pair.client.receive {
                        val frame = CallFrame.read(it.segment())
                        assertThat(frame.id).isEqualTo(id)
                        frame.reported("x", it.segment().asSlice(frame.body.toLong()).toArray(BYTE))
                    }
                assertThat(error.status()).isEqualTo(Status.UNKNOWN_VERSION)
                assertThat(error).hasMessageContaining("use a version of the library")
            }
            pair.client.withCalls(Json) { assertThat(it.call<Int, Int>("double", 2, PATIENCE)).isEqualTo(4) }
            pair.client.closeAndAwait()
            serving.join()
        }

    @Test
    fun `an answer of another version fails its call`() =
        connected { pair ->
            val answering =
                launch {
                    pair.peer.incoming().collect { message ->
                        val request = message.toByteArray()
                        request[0] = 9
                        pair.peer.send(request)
                    }
                }
            pair.client.withCalls(Json) { client ->
                repeat(2) {
                    val error = failure { client.call<Int, Int>("double", 2, PATIENCE) }
                    assertThat((error as RdmaCallException).status()).isEqualTo(Status.UNKNOWN_VERSION)
                    assertThat(error).hasMessageContaining("version 9", "reads version 1")
                }
            }
            answering.cancelAndJoin()
        }

    @Test
    fun `a deadline ends the call and the handler`() =
        calling { served ->
            served.fails(Status.DEADLINE_EXCEEDED, "allow it more time") {
                served.client.call<Unit, Int>("endless", Unit, 20.milliseconds)
            }
            // The request may have been sent and entered the handler, or the time was over before.
            eventually { assertThat(served.server.inFlight).isZero() }
            assertThat(failure { served.client.call<Unit, Int>("endless", Unit, ZERO) })
                .isInstanceOf(IllegalArgumentException::class.java)
                .hasMessageContaining("more than zero")
        }

    @Test
    fun `the server itself ends a handler whose time is over`() =
        connected { pair ->
            val serving = launch { handlers().serve(pair.peer) }
            val request = CallFrame.request(7, 1, "endless")
            pair.client.send(request, "{}".toByteArray())
            val status =
                pair.client.receive {
                    val frame = CallFrame.read(it.segment())
                    frame.reported("endless", ByteArray(0)).status()
                }
            assertThat(status).isEqualTo(Status.DEADLINE_EXCEEDED)
            pair.client.closeAndAwait()
            serving.join()
        }

    @Test
    fun `a cancellation reaches the handler and frees its place`() =
        calling(ofClient = 1, ofServer = 1) { served ->
            val endless = launch { served.client.call<Unit, Int>("endless", Unit, INFINITE) }
            entered.receive()
            assertThat(served.server.inFlight).isEqualTo(1)
            endless.cancelAndJoin()
            cancelled.receive()
            assertThat(served.client.call<Int, Int>("double", 4, PATIENCE)).isEqualTo(8)
        }

    @Test
    fun `a call that waits for room and is cancelled is never sent`() =
        calling(ofClient = 1) { served ->
            val first = async { served.client.call<Int, Int>("gated", 1, PATIENCE) }
            entered.receive()
            val second =
                launch(start = CoroutineStart.UNDISPATCHED) { served.client.call<Int, Int>("gated", 2, PATIENCE) }
            second.cancelAndJoin()
            gate.complete(Unit)
            assertThat(first.await()).isEqualTo(1)
            assertThat(served.client.call<Int, Int>("double", 4, PATIENCE)).isEqualTo(8)
            assertThat(entered.tryReceive().isFailure).isTrue()
        }

    @Test
    fun `no more calls are in flight than the client allows`() =
        calling(ofClient = 3, ofServer = 3) { served ->
            val calls = (1..20).map { async { served.client.call<Int, Int>("gated", it, PATIENCE) } }
            repeat(3) { entered.receive() }
            gate.complete(Unit)
            assertThat(calls.awaitAll()).isEqualTo((1..20).toList())
            assertThat(mostRunning).hasValue(3)
        }

    @Test
    fun `a server refuses more calls than it allows`() =
        calling(ofServer = 1) { served ->
            val first = async { served.client.call<Int, Int>("gated", 1, PATIENCE) }
            entered.receive()
            val error = failure { served.client.call<Int, Int>("double", 1, PATIENCE) }
            assertThat((error as RdmaCallException).status()).isEqualTo(Status.BUSY)
            assertThat(error).hasMessageContaining("lower maxInFlight of the client")
            gate.complete(Unit)
            assertThat(first.await()).isEqualTo(1)
        }

    @Test
    fun `a stop answers the accepted calls and refuses others`() =
        calling { served ->
            val first = async { served.client.call<Int, Int>("gated", 1, PATIENCE) }
            entered.receive()
            val stopping = async(start = CoroutineStart.UNDISPATCHED) { served.server.stop(PATIENCE) }
            val error = failure { served.client.call<Int, Int>("double", 1, PATIENCE) }
            assertThat((error as RdmaCallException).status()).isEqualTo(Status.STOPPING)
            gate.complete(Unit)
            assertThat(first.await()).isEqualTo(1)
            assertThat(stopping.await()).isTrue()
            eventually { assertThat(served.hasEnded()).isTrue() }
        }

    @Test
    fun `a stop without patience cancels the handlers`() =
        calling { served ->
            val endless = launch { runCatching { served.client.call<Unit, Int>("endless", Unit, INFINITE) } }
            entered.receive()
            assertThat(served.server.stop(1.milliseconds)).isFalse()
            cancelled.receive()
            eventually { assertThat(served.hasEnded()).isTrue() }
            endless.cancelAndJoin()
        }

    @Test
    fun `handlers for a client that has gone are cancelled`() =
        calling { served ->
            launch { runCatching { served.client.call<Unit, Int>("endless", Unit, INFINITE) } }
            entered.receive()
            served.pair.client.close()
            cancelled.receive()
        }

    @Test
    fun `the end of the connection ends the calls`() =
        calling { served ->
            val endless = async { failure { served.client.call<Unit, Int>("endless", Unit, INFINITE) } }
            entered.receive()
            served.pair.peer.abort(IllegalStateException("on purpose"))
            assertThat(endless.await()).isInstanceOf(ConnectionClosedException::class.java)
            assertThat(failure { served.client.call<Int, Int>("double", 1, PATIENCE) })
                .isInstanceOf(ConnectionClosedException::class.java)
        }

    @Test
    fun `the end of the block ends calls of others, and a new client continues`() =
        connected { pair ->
            val serving = launch { handlers().serve(pair.peer) }
            val outside = CompletableDeferred<RdmaCallClient>()
            val calling = async { failure { outside.await().call<Unit, Int>("endless", Unit, INFINITE) } }
            pair.client.withCalls(Json) {
                outside.complete(it)
                entered.receive()
                yield()
            }
            assertThat(calling.await())
                .isInstanceOf(IllegalStateException::class.java)
                .hasMessageContaining("block of withCalls")
            cancelled.receive()
            pair.client.withCalls(Json) { assertThat(it.call<Int, Int>("double", 2, PATIENCE)).isEqualTo(4) }
            pair.client.closeAndAwait()
            serving.join()
        }

    @Test
    fun `names and bounds out of range are refused`() {
        for (name in listOf("", "é".repeat(128))) {
            assertThat(runCatching { RdmaCallServer(Json) { handle<Int, Int>(name) { it } } }.exceptionOrNull())
                .isInstanceOf(IllegalArgumentException::class.java)
                .hasMessageContaining("use 1 to 255")
        }
        assertThat(runCatching { handlers(maxInFlight = 0) }.exceptionOrNull())
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessageContaining("use 1 or more")
        val twice =
            runCatching {
                RdmaCallServer(Json) {
                    handle<Int, Int>("a") { it }
                    handle<Int, Int>("a") { it }
                }
            }
        assertThat(twice.exceptionOrNull()).hasMessageContaining("choose another name")
    }

    private companion object {
        val PATIENCE = 2.minutes
        val BYTE: java.lang.foreign.ValueLayout.OfByte = java.lang.foreign.ValueLayout.JAVA_BYTE
    }
}
