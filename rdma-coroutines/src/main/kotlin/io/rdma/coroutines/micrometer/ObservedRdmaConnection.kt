package io.rdma.coroutines.micrometer

import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.MessageEncoder
import io.rdma.coroutines.RdmaConnection
import io.rdma.engine.BoundWindow
import io.rdma.types.AccessFlag
import io.rdma.types.PlacementType
import io.rdma.types.RemoteMemory
import io.rdma.verbs.MemoryRegion
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.flow.Flow
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer

// Invariant: each observation that is started is stopped exactly once, on whichever thread the coroutine runs then. No
// scope is opened, since a scope belongs to a thread.

/**
 * The operations of a [connection], each observed from its call to its end. Everything else is called on the connection
 * itself. [observed] creates an instance.
 *
 * The observation is `rdma.operation` with the key `rdma.operation.type`, whose values are `send`, `send_stream`,
 * `write`, `read`, `fetch_and_add` and so on. Its parent is the current observation of the coroutine. Micrometer's
 * `asContextElement` in the coroutine's context keeps that observation current when the coroutine changes threads. A
 * cancelled operation ends without an error.
 */
public class ObservedRdmaConnection internal constructor(
    /** The connection that is observed. Messages are received from it directly, since a message has no duration. */
    public val connection: RdmaConnection,
    private val registry: ObservationRegistry,
) {
    private suspend inline fun <T> observed(
        operation: String,
        block: () -> T,
    ): T {
        val observation =
            Observation
                .createNotStarted(NAME, registry)
                .contextualName("rdma $operation")
                .lowCardinalityKeyValue(OPERATION, operation)
                .start()
        try {
            return block()
        } catch (e: CancellationException) {
            throw e
        } catch (e: Throwable) {
            observation.error(e)
            throw e
        } finally {
            observation.stop()
        }
    }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ): Unit = observed("send") { connection.send(length, writer) }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(text: String): Unit = observed("send") { connection.send(text) }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(bytes: ByteArray): Unit = observed("send") { connection.send(bytes) }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(buffer: ByteBuffer): Unit = observed("send") { connection.send(buffer) }

    /** Sends a flow, as [RdmaConnection.send], with one observation for the whole flow. */
    public suspend fun <T> send(
        items: Flow<T>,
        encoder: MessageEncoder<T>,
    ): Unit = observed("send_stream") { connection.send(items, encoder) }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(message: RegisteredBuffer): Unit = observed("send") { connection.send(message) }

    /** Sends and observes, as [RdmaConnection.send]. */
    public suspend fun send(message: List<RegisteredBuffer>): Unit = observed("send") { connection.send(message) }

    /** Sends and observes, as [RdmaConnection.sendWithImmediate]. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
    ): Unit = observed("send_with_immediate") { connection.sendWithImmediate(message, immediate) }

    /** Sends and observes, as [RdmaConnection.sendWithInvalidate]. */
    public suspend fun sendWithInvalidate(
        message: RegisteredBuffer,
        window: RemoteMemory,
    ): Unit = observed("send_with_invalidate") { connection.sendWithInvalidate(message, window) }

    /** Writes and observes, as [RdmaConnection.write]. */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
    ): Unit = observed("write") { connection.write(source, target) }

    /** Writes and observes, as [RdmaConnection.write]. */
    public suspend fun write(
        source: List<RegisteredBuffer>,
        target: RemoteMemory,
    ): Unit = observed("write") { connection.write(source, target) }

    /** Writes and observes, as [RdmaConnection.writeWithImmediate]. */
    public suspend fun writeWithImmediate(
        source: RegisteredBuffer,
        target: RemoteMemory,
        immediate: Int,
    ): Unit = observed("write_with_immediate") { connection.writeWithImmediate(source, target, immediate) }

    /** Reads and observes, as [RdmaConnection.read]. */
    public suspend fun read(
        source: RemoteMemory,
        target: RegisteredBuffer,
    ): Unit = observed("read") { connection.read(source, target) }

    /** Reads and observes, as [RdmaConnection.read]. */
    public suspend fun read(
        source: RemoteMemory,
        target: List<RegisteredBuffer>,
    ): Unit = observed("read") { connection.read(source, target) }

    /** Adds and observes, as [RdmaConnection.fetchAndAdd]. */
    public suspend fun fetchAndAdd(
        target: RemoteMemory,
        addend: Long,
    ): Long = observed("fetch_and_add") { connection.fetchAndAdd(target, addend) }

    /** Compares, swaps and observes, as [RdmaConnection.compareAndSwap]. */
    public suspend fun compareAndSwap(
        target: RemoteMemory,
        expected: Long,
        update: Long,
    ): Long = observed("compare_and_swap") { connection.compareAndSwap(target, expected, update) }

    /** Writes and observes, as [RdmaConnection.atomicWrite]. */
    public suspend fun atomicWrite(
        target: RemoteMemory,
        value: Long,
    ): Unit = observed("atomic_write") { connection.atomicWrite(target, value) }

    /** Flushes and observes, as [RdmaConnection.flush]. */
    public suspend fun flush(
        memory: RemoteMemory,
        type: PlacementType,
    ): Unit = observed("flush") { connection.flush(memory, type) }

    /** Writes, flushes and observes, as [RdmaConnection.write]. */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
        type: PlacementType,
    ): Unit = observed("write_and_flush") { connection.write(source, target, type) }

    /** Binds and observes, as [RdmaConnection.bind]. */
    public suspend fun bind(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        vararg access: AccessFlag,
    ): BoundWindow = observed("bind") { connection.bind(memory, offset, length, *access) }

    /** Names of the observations, which are the same in rdma-reactive. */
    public companion object {
        /** Name of each observation. */
        public const val NAME: String = "rdma.operation"

        /** The only key of each observation. */
        public const val OPERATION: String = "rdma.operation.type"
    }
}

/**
 * Returns a view of this connection whose operations are observed by the handlers of [registry]. It needs
 * `micrometer-observation`; no other class of this module does.
 */
public fun RdmaConnection.observed(registry: ObservationRegistry): ObservedRdmaConnection =
    ObservedRdmaConnection(this, registry)
