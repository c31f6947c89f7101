package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.MessageStream
import io.rdma.engine.RdmaEndpoint
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.job
import java.util.concurrent.atomic.AtomicInteger

// Invariants
// - `pending` is 1 for the collection plus 1 for each message that is not delivered: who makes it 0 ends `delivered`.
// - At most `most` messages are not delivered. Who sent the last of them waits for a quarter of the room, so that many
// messages share a suspension. If that wait is cancelled, its message is sent nevertheless.
// - `delivered` is a child of the scope that collects: its failure cancels the collection, and a cancelled scope ends
// it, which abandons what is on its way. The scope ends when it has.

/**
 * Sends what it collects; made for one collection, whose scope it keeps open until the peer's device has everything.
 */
internal class OutgoingFlow<T>(
    private val endpoint: RdmaEndpoint,
    private val encoder: MessageEncoder<T>,
    scope: CoroutineScope,
    private val most: Int = endpoint.options().sendBuffers(),
) : MessageStream(endpoint),
    FlowCollector<T> {
    private val room = Wakeup { undelivered() <= most - maxOf(1, most / 4) }
    private val pending = AtomicInteger(1)
    private val delivered = CompletableDeferred<Unit>(scope.coroutineContext.job)

    init {
        delivered.invokeOnCompletion { cause -> if (cause != null) abandonAll() }
    }

    // Tail calls: as long as there is a buffer, a message needs no object for the state of this function, also if it
    // waits.
    override suspend fun emit(value: T) {
        if (undelivered() >= most) return emitLater(value)
        if (!tryEmit(value)) return emitWithBuffer(value)
        if (undelivered() >= most) room.await()
    }

    /** The wait before this was in vain, or was cancelled by a collector that goes on. */
    private suspend fun emitLater(value: T) {
        while (undelivered() >= most) room.await()
        emit(value)
    }

    private fun undelivered() = pending.get() - 1

    private suspend fun emitWithBuffer(value: T) {
        emit(value, endpoint.sendBuffers().await(exclusive = true))
        if (undelivered() >= most) room.await()
    }

    /** @return false if there is no buffer for it now */
    private fun tryEmit(value: T): Boolean {
        val length = encoder.length(value)
        if (length > endpoint.sendBuffers().bufferSize()) {
            emitted(encodedExactly(value, length))
        } else {
            emit(value, endpoint.sendBuffers().tryAcquireExclusive() ?: return false)
        }
        return true
    }

    private fun emit(
        value: T,
        pooled: RegisteredBuffer,
    ) {
        val size = pooled.capacity()
        val encoded = encode(value, pooled)
        if (encoded >= 0) {
            emitted(pooled.limit(encoded))
        } else {
            pooled.close()
            check(-encoded > size) { "the encoder says that it needs ${-encoded} bytes, and had $size" }
            emitted(encodedExactly(value, -encoded))
        }
    }

    private fun emitted(message: RegisteredBuffer) {
        pending.incrementAndGet()
        try {
            send(message)
        } catch (e: Throwable) {
            pending.decrementAndGet() // nothing was sent: a flow that goes on must not wait for it
            throw e
        }
    }

    private fun encodedExactly(
        value: T,
        length: Int,
    ): RegisteredBuffer {
        val own = endpoint.allocateBuffer(length)
        val encoded = encode(value, own)
        if (encoded != length) {
            own.close()
            error("the encoder announced $length bytes and wrote $encoded: it must be exact")
        }
        return own
    }

    /** What the encoder says; the buffer is closed if it throws. */
    private fun encode(
        value: T,
        buffer: RegisteredBuffer,
    ): Int =
        try {
            encoder.encode(value, buffer.segment()).also {
                require(
                    it <= buffer.capacity(),
                ) { "the encoder says that it wrote $it bytes, and had ${buffer.capacity()}" }
            }
        } catch (e: Throwable) {
            // the encoder is the user's: whatever it throws must not keep the buffer
            buffer.close()
            throw e
        }

    /** Everything was collected. */
    fun complete() {
        if (pending.decrementAndGet() == 0) {
            finished()
            delivered.complete(Unit)
        }
    }

    override fun sent() {
        complete()
        room.wakeIfDue()
    }

    override fun failed(error: RuntimeException) {
        delivered.completeExceptionally(error)
    }
}
