package io.rdma.coroutines.micrometer

import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.MessageEncoder
import io.rdma.coroutines.RdmaConnection
import io.rdma.engine.BoundWindow
import io.rdma.verbs.AccessFlag
import io.rdma.verbs.MemoryRegion
import io.rdma.verbs.RemoteMemory
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.flow.Flow
import java.lang.foreign.MemorySegment

// Invariant: what is started is stopped, once, on whichever thread the coroutine goes on; no scope is opened, since a
// scope belongs to a thread.

/**
 * The operations of a [connection], each observed from its call to its end; everything else is the connection's. Made
 * by [observed].
 *
 * The observation is `rdma.operation` with the key `rdma.operation.type`: `send`, `send_stream`, `write`, `read`,
 * `fetch_and_add` and so on. Its parent is the current observation of the coroutine: Micrometer's `asContextElement` in
 * the coroutine's context keeps that with it when it changes threads. A cancelled operation ends without an error.
 */
public class ObservedRdmaConnection internal constructor(
    /** What is observed; messages are received from it, since a message has no duration. */
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

    /** As [RdmaConnection.send]. */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ): Unit = observed("send") { connection.send(length, writer) }

    /** As [RdmaConnection.send] of a flow: one observation for all of it. */
    public suspend fun <T> send(
        items: Flow<T>,
        encoder: MessageEncoder<T>,
    ): Unit = observed("send_stream") { connection.send(items, encoder) }

    /** As [RdmaConnection.send]. */
    public suspend fun send(message: RegisteredBuffer): Unit = observed("send") { connection.send(message) }

    /** As [RdmaConnection.sendWithImmediate]. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
    ): Unit = observed("send_with_immediate") { connection.sendWithImmediate(message, immediate) }

    /** As [RdmaConnection.sendWithInvalidate]. */
    public suspend fun sendWithInvalidate(
        message: RegisteredBuffer,
        window: RemoteMemory,
    ): Unit = observed("send_with_invalidate") { connection.sendWithInvalidate(message, window) }

    /** As [RdmaConnection.write]. */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
    ): Unit = observed("write") { connection.write(source, target) }

    /** As [RdmaConnection.writeWithImmediate]. */
    public suspend fun writeWithImmediate(
        source: RegisteredBuffer,
        target: RemoteMemory,
        immediate: Int,
    ): Unit = observed("write_with_immediate") { connection.writeWithImmediate(source, target, immediate) }

    /** As [RdmaConnection.read]. */
    public suspend fun read(
        source: RemoteMemory,
        target: RegisteredBuffer,
    ): Unit = observed("read") { connection.read(source, target) }

    /** As [RdmaConnection.fetchAndAdd]. */
    public suspend fun fetchAndAdd(
        target: RemoteMemory,
        addend: Long,
    ): Long = observed("fetch_and_add") { connection.fetchAndAdd(target, addend) }

    /** As [RdmaConnection.compareAndSwap]. */
    public suspend fun compareAndSwap(
        target: RemoteMemory,
        expected: Long,
        update: Long,
    ): Long = observed("compare_and_swap") { connection.compareAndSwap(target, expected, update) }

    /** As [RdmaConnection.bind]. */
    public suspend fun bind(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        vararg access: AccessFlag,
    ): BoundWindow = observed("bind") { connection.bind(memory, offset, length, *access) }

    /** Names of the observations; those of rdma-reactive are the same. */
    public companion object {
        /** Name of the observations. */
        public const val NAME: String = "rdma.operation"

        /** Their only key. */
        public const val OPERATION: String = "rdma.operation.type"
    }
}

/**
 * A view of this connection whose operations are observed by the handlers of [registry]. Needs
 * `micrometer-observation`, which nothing else here does.
 */
public fun RdmaConnection.observed(registry: ObservationRegistry): ObservedRdmaConnection =
    ObservedRdmaConnection(this, registry)
