package io.rdma.samples

import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.verbs.AccessFlag
import io.rdma.verbs.RemoteMemory
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.time.Duration.Companion.seconds

private const val MESSAGES = 100_000
private const val OPERATIONS = 16_000
private const val ATOMICS = 4_000

/** The client of the demo with coroutines. */
internal fun demoKotlin(
    device: String,
    port: Int,
    scale: Double,
    report: DemoReport,
) = runBlocking {
    withTimeout(60.seconds) {
        val connection =
            RdmaClient.connect("127.0.0.1", port) {
                this.device = device
                receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                sendBuffers(64, DemoProtocol.MAX_MESSAGE)
            }
        connection.use {
            val remote = it.receive { message -> RemoteMemory.decode(message.segment()) }
            val demo = DemoKotlin(it, remote, report)
            demo.stream(Demo.scaled(MESSAGES, scale))
            demo.write(Demo.scaled(OPERATIONS, scale))
            demo.read(Demo.scaled(OPERATIONS, scale))
            val tickets = Demo.scaled(ATOMICS, scale)
            demo.fetchAndAdd(tickets)
            demo.compareAndSwap(tickets, Demo.scaled(ATOMICS, scale))
        }
        connection.awaitClosed()
    }
}

private class DemoKotlin(
    private val connection: RdmaConnection,
    private val remote: RemoteMemory,
    private val report: DemoReport,
) {
    private val local = connection.allocate(DemoProtocol.REGION_BYTES.toLong(), AccessFlag.LOCAL_WRITE)
    private val counter = remote.slice(DemoProtocol.COUNTER_OFFSET.toLong(), Long.SIZE_BYTES.toLong())

    suspend fun stream(count: Int) {
        val run = report.start("send stream", Language.kotlin, count.toLong())
        var bytes = 0L
        var previous = System.nanoTime()
        // Suspends for a send buffer: the flow is only as far ahead as the slow receiver allows.
        connection.send((0 until count).asFlow()) { sequence, target ->
            // A stream has no latency per message; its row shows the pace, the time from one message to the next.
            run.done(previous)
            previous = System.nanoTime()
            DemoProtocol.encodeData(sequence.toLong(), target).also { bytes += it }
        }
        val (messages, errors) = ask(DemoProtocol::encodeFinish)
        run.end(bytes)
        report.check(
            messages == count.toLong() && errors == 0L,
            "the server got $messages of $count messages, $errors wrong",
        )
    }

    private suspend fun ask(question: (MemorySegment) -> Unit): LongArray {
        connection.send(1, question)
        return connection.receive { DemoProtocol.decodeAnswer(it.segment()) }
    }

    /** Runs lanes side by side, one operation at a time in each, with a block of local and remote memory of its own. */
    private suspend fun lanes(
        name: String,
        count: Int,
        operation: suspend (Int, RegisteredBuffer, RemoteMemory) -> Unit,
    ) {
        val run = report.start(name, Language.kotlin, count.toLong())
        coroutineScope {
            repeat(DemoProtocol.LANES) { lane ->
                val offset = lane.toLong() * DemoProtocol.BLOCK
                launch {
                    RegisteredBuffer.of(local, offset, DemoProtocol.BLOCK).use { buffer ->
                        repeat(count / DemoProtocol.LANES) {
                            val start = System.nanoTime()
                            operation(lane, buffer, remote.slice(offset, DemoProtocol.BLOCK.toLong()))
                            run.done(start)
                        }
                    }
                }
            }
        }
        run.end(count.toLong() * DemoProtocol.BLOCK)
    }

    suspend fun write(count: Int) {
        val sequence = LongArray(DemoProtocol.LANES)
        lanes("write 4 KiB", count) { lane, buffer, block ->
            DemoProtocol.fill(buffer.segment(), lane + 1000 * ++sequence[lane])
            connection.write(buffer, block)
        }
        val here = DemoProtocol.crc(local.segment()).toLong()
        report.check(ask(DemoProtocol::encodeCheck)[0] == here, "the server's memory differs from what Kotlin wrote")
    }

    suspend fun read(count: Int) {
        val expected = Arena.ofAuto().allocate(DemoProtocol.COUNTER_OFFSET.toLong())
        expected.copyFrom(local.segment().asSlice(0, expected.byteSize()))
        lanes("read 4 KiB", count) { lane, buffer, block ->
            buffer.segment().fill(0)
            connection.read(block, buffer)
            val wanted = expected.asSlice(lane.toLong() * DemoProtocol.BLOCK, DemoProtocol.BLOCK.toLong())
            report.check(buffer.segment().mismatch(wanted) < 0, "lane $lane read other bytes than were written")
        }
    }

    suspend fun fetchAndAdd(count: Int) {
        val run = report.start("fetch and add", Language.kotlin, count.toLong())
        val seen = BooleanArray(count)
        coroutineScope {
            repeat(DemoProtocol.LANES) {
                launch {
                    repeat(count / DemoProtocol.LANES) {
                        val start = System.nanoTime()
                        val ticket = connection.fetchAndAdd(counter, 1).toInt()
                        report.check(ticket in 0 until count && !seen[ticket], "ticket $ticket")
                        seen[ticket] = true
                        run.done(start)
                    }
                }
            }
        }
        run.end(count.toLong() * Long.SIZE_BYTES)
    }

    suspend fun compareAndSwap(
        from: Int,
        count: Int,
    ) {
        val run = report.start("compare and swap", Language.kotlin, count.toLong())
        for (i in from.toLong() until from.toLong() + count) {
            val start = System.nanoTime()
            val old = connection.compareAndSwap(counter, i, i + 1)
            report.check(old == i, "expected $i but the counter was $old")
            run.done(start)
        }
        run.end(count.toLong() * Long.SIZE_BYTES)
    }
}
