package io.rdma.samples.demo

import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.samples.support.Language
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.lang.foreign.MemorySegment
import kotlin.time.Duration.Companion.seconds

private const val MESSAGES = 100_000
private const val OPERATIONS = 16_000
private const val ATOMICS = 4_000

/** Runs the client of the demo, with coroutines. */
internal fun demoKotlin(
    setup: DemoSetup,
    port: Int,
    scale: Double,
    report: DemoReport,
) = runBlocking {
    withTimeout(300.seconds) {
        val connection =
            RdmaClient.connect(setup.host, port) {
                device = setup.device
                receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
                sendBuffers(64, DemoProtocol.MAX_MESSAGE)
            }
        connection.use {
            val remote = it.receive { message -> RemoteMemory.decode(message.segment()) }
            val demo = DemoKotlin(it, remote, report)
            demo.stream(Demo.scaled(MESSAGES, scale))
            val operations = Demo.scaled(OPERATIONS, scale)
            demo.write(operations)
            demo.read(operations, operations)
            if (setup.atomics) {
                val tickets = Demo.scaled(ATOMICS, scale)
                demo.fetchAndAdd(tickets)
                demo.compareAndSwap(tickets, tickets)
            }
        }
        connection.awaitClosed()
    }
}

private class DemoKotlin(
    private val connection: RdmaConnection,
    private val remote: RemoteMemory,
    private val report: DemoReport,
) {
    private val local = connection.allocate(DemoProtocol.LANES.toLong() * DemoProtocol.BLOCK, AccessFlag.LOCAL_WRITE)
    private val counter = remote.slice(DemoProtocol.COUNTER_OFFSET.toLong(), Long.SIZE_BYTES.toLong())

    suspend fun stream(count: Int) {
        val run = report.start("send stream", Language.kotlin, count.toLong())
        var bytes = 0L
        var previous = System.nanoTime()
        // Suspends while no send buffer is free, so the flow runs only as far ahead as the slow receiver allows.
        connection.send((0 until count).asFlow()) { sequence, target ->
            // A stream has no latency per message. Its row shows the time from one message to the next.
            run.done(previous)
            previous = System.nanoTime()
            DemoProtocol.encodeData(sequence.toLong(), target).also { bytes += it }
        }
        val (messages, errors) = ask(1, DemoProtocol::encodeFinish)
        run.end(bytes)
        report.check(
            messages == count.toLong() && errors == 0L,
            "the server got $messages of $count messages, $errors wrong",
        )
    }

    private suspend fun ask(
        length: Int,
        question: (MemorySegment) -> Unit,
    ): LongArray {
        connection.send(length, question)
        return connection.receive { DemoProtocol.decodeAnswer(it.segment()) }
    }

    /**
     * Runs lanes in parallel, with one operation at a time in each. Each lane has a block of local memory of its own.
     */
    private suspend fun lanes(
        run: DemoReport.Run,
        range: IntRange,
        operation: suspend (Int, Int, RegisteredBuffer) -> Unit,
    ) = coroutineScope {
        repeat(DemoProtocol.LANES) { lane ->
            launch {
                RegisteredBuffer.of(local, lane.toLong() * DemoProtocol.BLOCK, DemoProtocol.BLOCK).use { buffer ->
                    for (n in range) {
                        val start = System.nanoTime()
                        operation(lane, n, buffer)
                        run.done(start)
                    }
                }
            }
        }
    }

    private fun block(
        lane: Int,
        n: Int,
    ) = remote.slice(DemoProtocol.offset(lane, n), DemoProtocol.BLOCK.toLong())

    /** Writes in rounds. After each round the server compares every byte of it. */
    suspend fun write(count: Int) {
        val run = report.start("write 4 KiB", Language.kotlin, count.toLong())
        for (round in (0 until count / DemoProtocol.LANES).chunked(DemoProtocol.SLOTS)) {
            lanes(run, round.first()..round.last()) { lane, n, buffer ->
                DemoProtocol.fill(buffer.segment(), DemoProtocol.seed(lane, n))
                connection.write(buffer, block(lane, n))
            }
            val checking = System.nanoTime()
            val written = round.last() + 1
            val (there, wrong) = ask(DemoProtocol.CHECK_BYTES) { DemoProtocol.encodeCheck(written, it) }
            run.exclude(checking)
            report.check(
                there == written.toLong() && wrong == 0L,
                "$wrong blocks at the server differ from those that Kotlin wrote",
            )
        }
        run.end(count.toLong() * DemoProtocol.BLOCK)
    }

    /** Reads the blocks that were written last. */
    suspend fun read(
        written: Int,
        count: Int,
    ) {
        val perLane = written / DemoProtocol.LANES
        val last = maxOf(0, perLane - DemoProtocol.SLOTS)
        val run = report.start("read 4 KiB", Language.kotlin, count.toLong())
        lanes(run, 0 until count / DemoProtocol.LANES) { lane, i, buffer ->
            val n = last + i % (perLane - last)
            buffer.segment().fill(0)
            connection.read(block(lane, n), buffer)
            report.check(
                DemoProtocol.isFilled(buffer.segment(), DemoProtocol.seed(lane, n)),
                "lane $lane read other bytes than were written",
            )
        }
        run.end(count.toLong() * DemoProtocol.BLOCK)
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
