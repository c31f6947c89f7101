package io.rdma.samples.simulation.world

import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.MessageEncoder
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.structures.RdmaRing
import io.rdma.engine.BoundWindow
import io.rdma.engine.RdmaEndpoint
import io.rdma.structures.RingMemory
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import io.rdma.verbs.MemoryRegion
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.take
import java.lang.foreign.MemorySegment
import java.time.Duration
import java.util.function.Consumer
import kotlin.time.toKotlinDuration

/** Connection of the coroutines front-end. */
internal class CoroutinesLink(
    private val connection: RdmaConnection,
    private val calls: CoroutineCalls,
) : Link,
    AutoCloseable {
    private var receiving: CoroutineCall<Void>? = null

    override fun send(
        name: String,
        messages: Message.Stream,
    ): Call<Void> =
        calls.act(name) {
            val indexes = 0 until messages.count()
            if (messages.stream()) {
                connection.send(indexes.asFlow(), Encoder(messages))
            } else {
                indexes.forEach { index -> connection.send(messages.bytes(index)) { messages.write(index, it) } }
            }
        }

    private class Encoder(
        private val messages: Message.Stream,
    ) : MessageEncoder<Int> {
        override fun encode(
            item: Int,
            target: MemorySegment,
        ): Int {
            val length = messages.bytes(item)
            messages.write(item, target.asSlice(0, length.toLong()))
            return length
        }

        override fun length(item: Int): Int = messages.bytes(item)
    }

    override fun receive(
        name: String,
        how: Link.Reception,
        each: Consumer<Message>,
    ): Call<Void> {
        val call = calls.act(name) { CoroutinesReception(connection, calls.host, how, each).run() }
        receiving = call
        return call
    }

    override fun acquire(name: String): Call<RegisteredBuffer> = calls.start(name) { connection.acquire() }

    override fun write(
        name: String,
        source: RegisteredBuffer,
        target: RemoteMemory,
    ): Call<Void> = calls.act(name) { connection.write(source, target) }

    override fun read(
        name: String,
        source: RemoteMemory,
        target: RegisteredBuffer,
    ): Call<Void> = calls.act(name) { connection.read(source, target) }

    override fun fetchAndAdd(
        name: String,
        target: RemoteMemory,
        addend: Long,
    ): Call<Long> = calls.start(name) { connection.fetchAndAdd(target, addend) }

    override fun compareAndSwap(
        name: String,
        target: RemoteMemory,
        expected: Long,
        update: Long,
    ): Call<Long> = calls.start(name) { connection.compareAndSwap(target, expected, update) }

    override fun allocate(
        name: String,
        bytes: Long,
        vararg access: AccessFlag,
    ): Call<MemoryRegion> = calls.start(name) { connection.allocate(bytes, *access) }

    override fun grant(
        name: String,
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        time: Duration,
        vararg access: AccessFlag,
    ): Call<MemoryRegion> =
        calls.start(name) { connection.grant(memory, offset, length, time.toKotlinDuration(), *access) }

    override fun bind(
        name: String,
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        vararg access: AccessFlag,
    ): Call<BoundWindow> = calls.start(name) { connection.bind(memory, offset, length, *access) }

    override fun structures(): StructureLink = CoroutinesStructures(connection, calls)

    override fun receive(
        name: String,
        ring: RingMemory,
        most: Long,
        each: Consumer<ByteArray>,
    ): Call<Void> {
        val entries = RdmaRing.receive(ring)
        val some = if (most < Int.MAX_VALUE) entries.take(most.toInt()) else entries
        return calls.act(name) { some.collect(each::accept) }
    }

    override fun endpoint(): RdmaEndpoint = connection.endpoint

    override fun close(): Unit = connection.close()

    override fun abort(cause: Throwable): Unit = connection.abort(cause)

    /** Waits for the connection, and for the coroutine that receives, which ends some time after it. */
    override fun closed(name: String): Call<Void> =
        calls.act(name) {
            connection.awaitClosed()
            receiving?.join()
        }
}
