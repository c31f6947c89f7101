package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.internal.engine.Endpoint
import io.rdma.internal.engine.MessageStream
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.job
import java.util.concurrent.atomic.AtomicInteger

// Invariants
// - `pending` is 1 for the collection plus 1 for each message that is not delivered. The thread that decrements it to 0
// completes `delivered`.
// - At most `most` messages are not delivered. The coroutine that sent the last of them waits until a quarter of the
// room is free, so that many messages share one suspension. If that wait is cancelled, the message is still sent.
// - `delivered` is a child of the scope that collects. Its failure cancels the collection. A cancelled scope cancels
// `delivered`, which abandons the outstanding messages. The scope ends only after `delivered` has ended.

/**
 * Collector that sends each item as a message. Each instance serves one collection, and keeps the scope of that
 * collection open until the peer's device has all messages.
 */
internal class OutgoingFlow<T>(
    private val endpoint: Endpoint,
    private val encoder: MessageEncoder<T>,
    scope: CoroutineScope,
) : MessageStream(endpoint),
    FlowCollector<T> {
    private val most = endpoint.options().maxMessagesInFlight()
    private val room = Wakeup { undelivered() <= most - maxOf(1, most / 4) }
    private val pending = AtomicInteger(1)
    private val delivered = CompletableDeferred<Unit>(scope.coroutineContext.job)

    init {
        delivered.invokeOnCompletion { cause -> if (cause != null) abandonAll() }
    }

    // Tail calls: while buffers are available, a message allocates no state object for this function, even if it waits
    // for room.
    override suspend fun emit(value: T) {
        StackRoom.require(StackRoom.SIGNAL)
        if (undelivered() >= most) return emitLater(value)
        if (!tryEmit(value)) return emitWithBuffer(value)
        if (undelivered() >= most) room.await()
    }

    /**
     * Emits [value] after a wait for room. It is called if an earlier wait ended spuriously, or was cancelled although
     * the collector continues.
     */
    private suspend fun emitLater(value: T) {
        while (undelivered() >= most) room.await()
        emit(value)
    }

    private fun undelivered() = pending.get() - 1

    private suspend fun emitWithBuffer(value: T) {
        emit(value, endpoint.sendBuffers().await(exclusive = true))
        if (undelivered() >= most) room.await()
    }

    /**
     * Emits [value] if its buffer is available at once.
     *
     * @return false if there is no buffer for it now
     */
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
        val required = pooled.closeOnFailure { fit(encoder.encode(value, pooled.segment()), pooled) }
        if (required == 0) {
            emitted(pooled)
        } else {
            pooled.close()
            emitted(encodedExactly(value, required))
        }
    }

    private fun emitted(message: RegisteredBuffer) {
        pending.incrementAndGet()
        try {
            send(message)
        } catch (e: Throwable) {
            pending.decrementAndGet() // nothing was sent, so a flow that continues must not wait for it
            throw e
        }
    }

    private fun encodedExactly(
        value: T,
        length: Int,
    ): RegisteredBuffer {
        val own = endpoint.memory().allocateBuffer(length)
        own.closeOnFailure { requireFilled(encoder.encode(value, own.segment()), own) }
        return own
    }

    /** Runs [encode], and closes this buffer if it throws: no exception of the application may leak the buffer. */
    private inline fun <R> RegisteredBuffer.closeOnFailure(encode: () -> R): R =
        try {
            encode()
        } catch (e: Throwable) {
            close()
            throw e
        }

    /** Counts down `pending`, for the end of the collection or for a delivered message; ends the stream at 0. */
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
