package io.rdma.coroutines

import app.cash.turbine.test
import io.rdma.buffer.ReceivedMessage
import io.rdma.buffer.RegisteredBuffer
import io.rdma.connect.ConnectMethod
import io.rdma.connect.RdmaConnectException
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.FlushMethod
import io.rdma.engine.UnsupportedRequestException
import io.rdma.testing.PeerRefusal
import io.rdma.testing.TestDevice
import io.rdma.testing.TestPorts
import io.rdma.types.AccessFlag
import io.rdma.types.PlacementType
import io.rdma.types.RemoteMemory
import io.rdma.types.VerbsException
import io.rdma.types.WorkCompletionException
import io.rdma.verbs.MemoryRegion
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Assumptions
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.util.Collections
import java.util.IdentityHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of a connection, the same on every device. Each test ends with the check that nothing is in flight and all
 * pools are whole.
 */
abstract class ConnectionContract : PairContract() {
    /** Whether the device sets `IBV_WC_WITH_INV` in the completion of a message that was sent with invalidate. */
    open val tellsInvalidation = true

    private suspend fun RdmaConnection.sendText(text: String) {
        val bytes = text.toByteArray()
        send(bytes.size) { it.copyFrom(MemorySegment.ofArray(bytes)) }
    }

    private suspend fun RdmaConnection.text(): String = receive { String(it.toByteArray()) }

    @Test
    fun `messages arrive in order and whole`() =
        connected { pair ->
            val sent = (0 until 500).map { "message $it" + "x".repeat(it % 300) }
            val received =
                async {
                    pair.peer
                        .incoming()
                        .texts()
                        .take(500)
                        .toList()
                }
            pair.client.send(sent.asFlow()) { text, target ->
                target.copyFrom(MemorySegment.ofArray(text.toByteArray()))
                text.length
            }
            assertThat(received.await()).isEqualTo(sent)
        }

    private fun RdmaConnection.lent(): Flow<String> = incoming().decoded { String(it.toByteArray()) }

    /** Collects [count] messages, each of which is lent to [block]. */
    private suspend fun RdmaConnection.collectLent(
        count: Int,
        block: suspend (ReceivedMessage) -> Unit,
    ) = coroutineScope {
        var left = count
        launch {
            incoming().collect {
                block(it)
                if (--left == 0) cancel()
            }
        }.join()
    }

    private fun RdmaConnection.owned(): Flow<String> =
        receiveOwned().map { message ->
            message.use { String(it.toByteArray()) }
        }

    @Test
    fun `messages are handed out one at a time and only to a collector`() =
        connected { pair ->
            val receives = pair.peer.engine.receives()
            for (flow in listOf(pair.peer.lent(), pair.peer.owned())) {
                repeat(10) { pair.client.sendText("message $it") }
                while (receives.outstanding() < 10) kotlinx.coroutines.yield()
                flow.take(3).test(timeout = 20.seconds) {
                    repeat(3) { assertThat(awaitItem()).isEqualTo("message $it") }
                    awaitComplete()
                }
                while (receives.outstanding() != 7) kotlinx.coroutines.yield()
                flow.test(timeout = 20.seconds) {
                    for (i in 3 until 10) assertThat(awaitItem()).isEqualTo("message $i")
                    expectNoEvents()
                    pair.client.sendText("later")
                    assertThat(awaitItem()).isEqualTo("later")
                    cancelAndIgnoreRemainingEvents()
                }
                while (receives.outstanding() != 0) kotlinx.coroutines.yield()
            }
        }

    @Test
    fun `messages that arrived are not lost when the collector is cancelled between two items`() =
        connected { pair ->
            val receives = pair.peer.engine.receives()
            for (flow in listOf(pair.peer.lent(), pair.peer.owned())) {
                repeat(5) { pair.client.sendText("message $it") }
                while (receives.outstanding() < 5) kotlinx.coroutines.yield()
                val got = mutableListOf<String>()
                val collecting =
                    launch {
                        flow.collect {
                            got += it
                            if (got.size == 2) cancel() // the next message has arrived already
                        }
                    }
                collecting.join()
                assertThat(got).containsExactly("message 0", "message 1")
                flow.take(3).test(timeout = 20.seconds) {
                    for (i in 2 until 5) assertThat(awaitItem()).isEqualTo("message $i")
                    awaitComplete()
                }
            }
        }

    private suspend fun RdmaConnection.sendMany() =
        send((0 until MANY).asFlow()) { i, target ->
            target.set(ValueLayout.JAVA_INT, 0, i)
            Int.SIZE_BYTES
        }

    @Test
    fun `small messages of a flow share sends`() =
        connected { pair ->
            val before =
                pair.client.endpoint
                    .counters()
                    .posted()
            val received =
                async {
                    pair.peer
                        .incoming()
                        .decoded { number(it) }
                        .take(MANY)
                        .toList()
                }
            pair.client.sendMany()
            assertThat(received.await()).isEqualTo((0 until MANY).toList())
            assertThat(
                pair.client.endpoint
                    .counters()
                    .posted() - before,
            ).isLessThan(MANY / 2L)
        }

    /** The collector is resumed on the loop, in the middle of what the loop does for its flow. */
    @Test
    fun `a flow whose collector runs on the loop sends small and large messages`() =
        connected({ sendBuffers(2, 2 * MESSAGE) }) { pair ->
            val lengths = (0 until MANY).map { if (it % 5 == 4) MESSAGE + it else it }
            val received =
                async {
                    pair.peer
                        .incoming()
                        .decoded { it.length() }
                        .take(MANY)
                        .toList()
                }
            withContext(Dispatchers.Unconfined) { pair.client.send(lengths.asFlow()) { length, _ -> length } }
            assertThat(received.await()).isEqualTo(lengths)
        }

    private fun number(message: ReceivedMessage) = message.segment().get(ValueLayout.JAVA_INT, 0)

    private fun assertStale(message: ReceivedMessage) {
        assertThat(message.isClosed()).isTrue()
        assertThat(runCatching { message.segment() }.exceptionOrNull()).isInstanceOf(IllegalStateException::class.java)
    }

    @Test
    @Tag("lent")
    fun `a message that was kept fails after its block`() =
        connected { pair ->
            val sending = launch { pair.client.sendMany() }
            val kept = mutableListOf<ReceivedMessage>()
            repeat(4) { i ->
                pair.peer.receive {
                    kept.forEach(::assertStale)
                    kept += it
                    assertThat(number(it)).isEqualTo(i)
                }
                kept.forEach(::assertStale)
            }
            pair.peer.collectLent(4) {
                kept.forEach(::assertStale)
                kept += it
                kotlinx.coroutines.yield() // other messages arrive meanwhile
                assertThat(number(it)).isEqualTo(kept.size - 1)
            }
            kept.forEach(::assertStale)
            pair.peer.collectLent(MANY - 8) { }
            sending.join()
        }

    @Test
    @Tag("lent")
    fun `a message that its block closes goes back once`() =
        connected { pair ->
            val sending = launch { pair.client.sendMany() }

            fun take(message: ReceivedMessage): Int {
                val number = number(message)
                message.close()
                message.close()
                assertStale(message)
                assertThat(message.length()).isEqualTo(Int.SIZE_BYTES)
                return number
            }
            for (i in 0 until MANY / 2) assertThat(pair.peer.receive(::take)).isEqualTo(i)
            val rest =
                pair.peer
                    .incoming()
                    .decoded(::take)
                    .take(MANY / 2)
                    .toList()
            assertThat(rest).isEqualTo((MANY / 2 until MANY).toList())
            sending.join()
            assertThat(
                pair.peer
                    .endpoint
                    .outstandingReceives(),
            ).isZero()
        }

    @Test
    @Tag("lent")
    fun `owned messages are never used again`() =
        connected { pair ->
            val sending = launch { pair.client.sendMany() }
            val all = Collections.newSetFromMap(IdentityHashMap<ReceivedMessage, Boolean>())
            pair.peer.receiveOwned().take(MANY).collect {
                assertThat(all.add(it)).isTrue()
                it.close()
                all.forEach(::assertStale)
            }
            assertThat(all).hasSize(MANY)
            sending.join()
        }

    @Test
    fun `an encoder that needs no more than it has is refused`() =
        connected { pair ->
            for (need in listOf(-1, Int.MIN_VALUE, -LARGE)) {
                assertFails<IllegalStateException>("the encoder") { pair.client.send(flowOf(1)) { _, _ -> need } }
            }
        }

    @Test
    fun `an encoder that does not write what it announced is refused`() =
        connected { pair ->
            for (written in listOf(LARGE - 1, LARGE + 1)) {
                assertFails<IllegalStateException>("the encoder announced $LARGE bytes but wrote $written") {
                    pair.client.send(flowOf(1)) { _, target -> if (target.byteSize() < LARGE) -LARGE else written }
                }
            }
        }

    @Test
    fun `a flow that goes on after a refused message ends`() =
        connected { pair ->
            val sizes = listOf(LARGE + 1, 3)
            val goingOn =
                object : Flow<Int> {
                    override suspend fun collect(collector: FlowCollector<Int>) =
                        sizes.forEach {
                            try {
                                collector.emit(it)
                            } catch (_: IllegalArgumentException) {
                                // the message is longer than the peer allows
                            }
                        }
                }
            val encoder =
                object : MessageEncoder<Int> {
                    override fun encode(
                        item: Int,
                        target: MemorySegment,
                    ): Int = item

                    override fun length(item: Int) = item
                }
            val sending = launch { pair.client.send(goingOn, encoder) }
            assertThat(pair.peer.receive { it.length() }).isEqualTo(3)
            sending.join()
        }

    @ParameterizedTest(name = "lengths known before: {0}")
    @ValueSource(booleans = [true, false])
    fun `messages of any size keep their order`(known: Boolean) =
        connected { pair ->
            val sizes = listOf(10, MESSAGE + 1, 3, 2 * MESSAGE + 1, LARGE, 0, MESSAGE)
            val encoder =
                object : MessageEncoder<Int> {
                    override fun encode(
                        item: Int,
                        target: MemorySegment,
                    ): Int {
                        if (item > target.byteSize()) return -item
                        target.asSlice(0, item.toLong()).fill(item.toByte())
                        return item
                    }

                    override fun length(item: Int) = if (known) item else 0
                }
            val sending = launch { pair.client.send(sizes.asFlow(), encoder) }
            val received =
                pair.peer
                    .incoming()
                    .decoded { message ->
                        val bytes = message.toByteArray()
                        assertThat(bytes.all { it == bytes.size.toByte() }).isTrue()
                        bytes.size
                    }.take(sizes.size)
                    .toList()
            assertThat(received).isEqualTo(sizes)
            sending.join()
            val large = launch { pair.client.send(LARGE) { it.fill(1) } }
            assertThat(pair.peer.receive { it.length() }).isEqualTo(LARGE)
            large.join()
        }

    @Test
    fun `cancellation of a large message loses nothing`() =
        connected { pair ->
            repeat(30) { i ->
                val sending = launch { pair.client.send(LARGE) { } }
                if (i % 2 == 0) kotlinx.coroutines.delay((i * 50).microseconds)
                sending.cancel()
            }
            // In parallel: messages announced before their cancellation occupy the peer's receives until it reads them.
            val last = launch { pair.client.sendText("after all that") }
            while (pair.peer.receive { it.length() } == LARGE) continue
            last.join()
        }

    @ParameterizedTest(name = "send queue of {0}")
    @ValueSource(ints = [128, 4])
    fun `a receiver that does not read stops the sender`(maxSendWr: Int) =
        connected({ queuePair { this.maxSendWr = maxSendWr } }) { pair ->
            val encoded = AtomicInteger()
            val sending =
                launch {
                    pair.client.send((0 until 200).asFlow()) { _, _ ->
                        encoded.incrementAndGet()
                        NOT_SMALL
                    }
                }
            // 16 receives are posted, and each other message needs one of 8 send buffers and a place in the send queue.
            val receives = pair.peer.engine.receives()
            while (receives.outstanding() < 16 || pair.client.endpoint.inFlight() > 0) kotlinx.coroutines.yield()
            assertThat(sending.isCompleted).isFalse()
            assertThat(encoded.get()).isLessThanOrEqualTo(16 + minOf(8, maxSendWr))
            assertThat(
                pair.peer
                    .incoming()
                    .decoded { it.length() }
                    .take(200)
                    .toList(),
            ).hasSize(200).containsOnly(NOT_SMALL)
            sending.join()
        }

    @Test
    fun `memory operations move every byte`() =
        connected { pair ->
            TestDevice.assumeAtomics(device)
            val there =
                pair.peer.allocate(
                    BLOCK,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.REMOTE_READ,
                    AccessFlag.REMOTE_ATOMIC,
                )
            val here = pair.client.allocate(BLOCK, AccessFlag.LOCAL_WRITE)
            val back = pair.client.allocate(BLOCK, AccessFlag.LOCAL_WRITE)
            here.segment().copyFrom(MemorySegment.ofArray(Random(1).nextBytes(BLOCK.toInt())))
            RegisteredBuffer.of(here, 0, BLOCK.toInt()).use { pair.client.write(it, there.remote()) }
            assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1)
            RegisteredBuffer.of(back, 0, BLOCK.toInt()).use { pair.client.read(there.remote(), it) }
            assertThat(back.segment().mismatch(here.segment())).isEqualTo(-1)

            there.segment().set(ValueLayout.JAVA_LONG, 0, 0)
            val tickets = (0 until 200).map { async { pair.client.fetchAndAdd(there.remote(), 1) } }.awaitAll()
            assertThat(tickets.sorted()).isEqualTo((0L until 200L).toList())
            assertThat(pair.client.compareAndSwap(there.remote(), 200, 7)).isEqualTo(200)
            assertThat(there.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7)
        }

    @Test
    fun `a window is valid until the peer invalidates it`() =
        connected { pair ->
            val attributes = TestDevice.assumed(device).open().use { it.queryDevice() }
            Assumptions.assumeTrue(attributes.hasMemoryWindowsOfType2(), "this device has no windows of type 2")
            val memory = pair.peer.allocate(BLOCK, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND)
            val window = pair.peer.bind(memory, 64, 64, AccessFlag.REMOTE_WRITE)
            pair.client.acquire().use {
                it.segment().fill(5)
                pair.client.write(it.limit(64), window.remote())
                assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 127)).isEqualTo(5.toByte())
                pair.client.sendWithInvalidate(it.limit(1), window.remote())
                val key =
                    pair.peer.receive { message ->
                        if (message.hasInvalidatedKey()) message.invalidatedKey() else null
                    }
                assertThat(key).isEqualTo(if (tellsInvalidation) window.remote().rkey() else null)
                val refused = runCatching { pair.client.write(it, window.remote()) }.exceptionOrNull()
                assertThat(refused).isInstanceOf(WorkCompletionException::class.java)
            }
            window.close()
        }

    @Test
    fun `immediate data travels with message and write`() =
        connected { pair ->
            TestDevice.assumeImmediate(device)
            val target = pair.peer.allocate(8, AccessFlag.REMOTE_WRITE)
            pair.client.acquire().use {
                pair.client.sendWithImmediate(it.limit(1), 0x01020304)
                pair.client.writeWithImmediate(it, target.remote(), 5)
            }
            assertThat(pair.peer.receive { it.length() to it.immediate() }).isEqualTo(1 to 0x01020304)
            assertThat(pair.peer.receive { it.length() to it.immediate() }).isEqualTo(0 to 5)
            pair.client.sendText("plain")
            assertThat(pair.peer.receive { it.hasImmediate() || it.hasInvalidatedKey() }).isFalse()
        }

    @Test
    fun `cancellation before and after the post loses no buffer and no message`() =
        connected { pair ->
            repeat(100) { i ->
                val sending = launch { pair.client.send(8) { } }
                val acquiring = launch { pair.client.acquire().close() }
                if (i % 2 == 0) kotlinx.coroutines.yield()
                sending.cancel()
                acquiring.cancel()
                withTimeoutOrNull(2.milliseconds) { pair.peer.receive { it.length() } }
            }
            val last = launch { pair.client.sendText("after all that") }
            while (pair.peer.text() != "after all that") continue
            last.join()
        }

    // The next three tests are the rows of the table in docs/guide/buffers.md.

    @Test
    fun `a send that is cancelled while it waits is never sent`() =
        connected { pair ->
            repeat(16) { pair.client.sendText("fills the ring") }
            val buffer = pair.client.acquire()
            val waiting = launch { pair.client.sendText("never sent") }
            val owned = launch { pair.client.send(buffer.limit(3)) }
            kotlinx.coroutines.yield()
            waiting.cancelAndJoin()
            owned.cancelAndJoin()
            assertThat(buffer.segment().isReadOnly).isFalse()
            buffer.close()
            assertThat(
                pair.client
                    .endpoint
                    .sendBuffers()
                    .leased(),
            ).isZero()
            val last = launch { pair.client.sendText("last") }
            repeat(16) { assertThat(pair.peer.text()).isEqualTo("fills the ring") }
            assertThat(pair.peer.text()).isEqualTo("last")
            last.join()
        }

    /** Returns memory of the peer with the right that a flush for global visibility needs here. */
    private fun flushable(pair: Pair): MemoryRegion {
        val method = pair.client.endpoint.flushMethod(PlacementType.GLOBAL_VISIBILITY)
        val right = if (method == FlushMethod.FLUSH) AccessFlag.FLUSH_GLOBAL else AccessFlag.REMOTE_READ
        return pair.peer.allocate(BLOCK, AccessFlag.REMOTE_WRITE, right)
    }

    @Test
    fun `a write with a guarantee returns when the bytes are visible`() =
        connected { pair ->
            val there = flushable(pair)
            val here = pair.client.allocate(BLOCK, AccessFlag.LOCAL_WRITE)
            RegisteredBuffer.of(here, 0, BLOCK.toInt()).use { source ->
                for (round in 1..10) {
                    here.segment().fill(round.toByte())
                    pair.client.write(source, there.remote(), PlacementType.GLOBAL_VISIBILITY)
                    assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1)
                }
                val cancelled = launch { pair.client.write(source, there.remote(), PlacementType.GLOBAL_VISIBILITY) }
                cancelled.cancelAndJoin()
                pair.client.flush(there.remote(), PlacementType.GLOBAL_VISIBILITY)
            }
        }

    @Test
    fun `an atomic write is seen or refused`() =
        connected { pair ->
            val there = flushable(pair)
            if (pair.client.endpoint.hasAtomicWrites()) {
                pair.client.atomicWrite(there.remote().slice(8, 8), 42)
                assertThat(there.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42)
            } else {
                assertFails<UnsupportedRequestException>("compareAndSwap") {
                    pair.client.atomicWrite(there.remote().slice(8, 8), 42)
                }
            }
            assertFails<IllegalArgumentException>("8-byte boundary") {
                pair.client.atomicWrite(there.remote().slice(4, 8), 1)
            }
            pair.client.flush(there.remote(), PlacementType.GLOBAL_VISIBILITY) // the connection goes on
        }

    @Test
    fun `an operation cancelled after the post happens and keeps its buffer until then`() =
        connected { pair ->
            TestDevice.assumeAtomics(device)
            val there = pair.peer.allocate(BLOCK, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
            val here = pair.client.allocate(BLOCK, AccessFlag.LOCAL_WRITE)
            here.segment().fill(9)
            RegisteredBuffer.of(here, 0, BLOCK.toInt()).use { source ->
                val writing = launch { pair.client.write(source, there.remote()) }
                val adding = launch { pair.client.fetchAndAdd(there.remote().slice(0, 8), 1) }
                // Waits until both are posted, which the loop may be about to do.
                while (listOf(writing, adding).count { it.isActive } > pair.client.endpoint.inFlight()) {
                    kotlinx.coroutines.yield()
                }
                writing.cancelAndJoin()
                adding.cancelAndJoin()
            }
            here.close() // the device still holds the region
            while (there.segment().get(ValueLayout.JAVA_BYTE, BLOCK - 1) != 9.toByte()) kotlinx.coroutines.yield()
            while (there.segment().get(ValueLayout.JAVA_BYTE, 0) != 10.toByte()) kotlinx.coroutines.yield()
        }

    @Test
    fun `a buffer that comes too late goes back`() =
        connected { pair ->
            val all = (0 until 8).map { pair.client.acquire() }
            val waiting = launch { pair.client.acquire() }
            kotlinx.coroutines.yield()
            all.first().close() // handed over to the waiting coroutine, which is resumed but has not run
            waiting.cancelAndJoin()
            all.forEach(RegisteredBuffer::close)
            val pool = pair.client.endpoint.sendBuffers()
            assertThat(pool.leased()).isZero()
        }

    @Test
    fun `an owned message stays valid until it is closed`() =
        connected { pair ->
            pair.client.sendText("owned")
            val message = pair.peer.receiveOwned().first()
            assertThat(message.isClosed).isFalse() // first() does not close it
            assertThat(String(message.toByteArray())).isEqualTo("owned")
            message.close()
            pair.client.sendText("lost by a failing collector")
            var failed: io.rdma.buffer.ReceivedMessage? = null
            assertFails<IllegalStateException>("on purpose") {
                pair.peer.receiveOwned().collect {
                    failed = it
                    error("on purpose")
                }
            }
            assertThat(failed?.isClosed).isTrue()
            pair.client.sendText("lost by a collector that takes too long")
            var late: io.rdma.buffer.ReceivedMessage? = null
            assertFails<TimeoutCancellationException>("Timed out") {
                pair.peer.receiveOwned().collect {
                    late = it
                    withTimeout(1) { awaitCancellation() }
                }
            }
            assertThat(late?.isClosed).isTrue()
            pair.client.sendText("lost by a collector that awaits something cancelled")
            var awaiting: io.rdma.buffer.ReceivedMessage? = null
            assertFails<CancellationException>("of another job") {
                pair.peer.receiveOwned().collect {
                    awaiting = it
                    CompletableDeferred<Unit>().apply { cancel("of another job") }.await()
                }
            }
            assertThat(awaiting?.isClosed).isTrue()
            pair.client.sendText("kept")
            val kept = mutableListOf<io.rdma.buffer.ReceivedMessage>()
            pair.peer
                .receiveOwned()
                .take(1)
                .collect { owned -> kept += owned }
            assertThat(String(kept.single().toByteArray())).isEqualTo("kept")
            kept.single().close()
        }

    @Test
    fun `misuse is refused and the connection goes on`() =
        connected { pair ->
            val buffer = pair.client.acquire()
            val odd = RemoteMemory(4097, 8, 1)
            assertFails<IllegalArgumentException>("maxMessageSize") { pair.client.send(LARGE + 1) { } }
            assertFails<IllegalArgumentException>("8-byte boundary") { pair.client.fetchAndAdd(odd, 1) }
            assertFails<IllegalStateException>("the writer's own") { pair.client.send(1) { error("the writer's own") } }
            buffer.limit(8).close()
            assertFails<IllegalStateException>("closed") { pair.client.send(buffer) }
            val receiving = async { pair.peer.text() }
            kotlinx.coroutines.yield()
            assertFails<IllegalStateException>("receiver already") { pair.peer.text() }
            pair.client.sendText("fine")
            assertThat(receiving.await()).isEqualTo("fine")
        }

    @Test
    fun `a wrong key ends this connection only`() =
        connected { pair ->
            val there = pair.peer.allocate(8, AccessFlag.REMOTE_READ)
            val wrong = RemoteMemory(there.remote().address(), 8, there.rkey() xor 0x5a5a00)
            pair.client.acquire().use { buffer ->
                PeerRefusal.assertOfRead(
                    device,
                    assertFails<Exception>("") { pair.client.read(wrong, buffer.limit(8)) },
                )
            }
            PeerRefusal.assertLost(device, assertFails<Exception>("") { pair.client.send(1) { } })
            assertFails<ConnectionClosedException>("lost") { pair.client.receive { } }

            val second = RdmaClient.connect(host, pair.server.port) { small() }
            second.sendText("the server lives")
            assertThat(pair.accepted.receive().text()).isEqualTo("the server lives")
            second.closeAndAwait()
        }

    @Test
    fun `every operation in flight ends when the connection is closed`() =
        connected { pair ->
            val outcomes = (0 until 100).map { async { runCatching { pair.client.send(8) { } } } }
            kotlinx.coroutines.yield()
            pair.client.closeAndAwait()
            val failures = outcomes.awaitAll().mapNotNull { it.exceptionOrNull() }
            assertThat(failures).isNotEmpty().allMatch { it is ConnectionClosedException }
        }

    @Test
    fun `an orderly end delivers what arrived and completes`() =
        connected { pair ->
            pair.client.sendText("last words")
            val words = mutableListOf<String>()
            val receiving = launch { pair.peer.incoming().collect { words += String(it.toByteArray()) } }
            pair.client.closeAndAwait()
            receiving.join()
            assertThat(words).containsExactly("last words")
        }

    @Test
    fun `a port without a listener and an unknown device are typed errors`() =
        connected {
            val port = TestPorts.free()
            val refused =
                assertFails<RdmaConnectException>("running") { RdmaClient.connect(host, port) { small() } }
            val reason =
                if (connector == ConnectMethod.RDMA_CM) {
                    RdmaConnectException.Reason.REJECTED
                } else {
                    RdmaConnectException.Reason.UNREACHABLE
                }
            assertThat(refused.reason()).isEqualTo(reason)
            assertFails<VerbsException>("soft0") { RdmaClient.connect(host, port) { device = "nosuch0" } }
        }

    private inline fun <reified E : Throwable> assertFails(
        part: String,
        block: () -> Unit,
    ): E {
        val failure = runCatching(block).exceptionOrNull()
        assertThat(failure).isInstanceOf(E::class.java).hasMessageContaining(part)
        return failure as E
    }

    private companion object {
        const val MANY = 100
        const val NOT_SMALL = 300 // of 1,024 bytes, so it does not share a SEND
        const val BLOCK = 64L * 1024
    }
}
