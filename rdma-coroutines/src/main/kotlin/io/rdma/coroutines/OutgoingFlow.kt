package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.MessageStream
import io.rdma.engine.RdmaEndpoint
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.job
import kotlinx.coroutines.sync.Semaphore
import java.util.concurrent.atomic.AtomicInteger

// Invariants
// - `pending` is 1 for the collection plus 1 for each message that is not delivered: who makes it 0 ends `delivered`.
// - `delivered` is a child of the scope that collects: its failure cancels the collection, and a cancelled scope ends it, which abandons
// what is on its way. The scope ends when it has.

/** Sends what it collects; made for one collection, whose scope it keeps open until the peer's device has everything. */
internal class OutgoingFlow<T>(
    private val endpoint: RdmaEndpoint,
    private val encoder: MessageEncoder<T>,
    scope: CoroutineScope,
    most: Int = endpoint.options().sendBuffers(),
) : MessageStream(endpoint, most),
    FlowCollector<T> {
    private val room = Semaphore(most)
    private val pending = AtomicInteger(1)
    private val delivered = CompletableDeferred<Unit>(scope.coroutineContext.job)

    init {
        delivered.invokeOnCompletion { cause -> if (cause != null) abandonAll() }
    }

    override suspend fun emit(value: T) {
        room.acquire()
        val size = endpoint.sendBuffers().bufferSize()
        val length = encoder.length(value)
        val buffer =
            if (length > size) {
                encodedExactly(value, length)
            } else {
                val pooled = endpoint.sendBuffers().tryAcquire() ?: endpoint.sendBuffers().await()
                val encoded = encode(value, pooled)
                if (encoded >= 0) {
                    pooled.limit(encoded)
                } else {
                    pooled.close()
                    check(-encoded > size) { "the encoder says that it needs ${-encoded} bytes, and had $size" }
                    encodedExactly(value, -encoded)
                }
            }
        pending.incrementAndGet()
        send(buffer)
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
        if (pending.decrementAndGet() == 0) delivered.complete(Unit)
    }

    override fun sent() {
        room.release()
        complete()
    }

    override fun failed(error: RuntimeException) {
        delivered.completeExceptionally(error)
    }
}
