package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.resume

// Invariants: who holds the claim is the only one to poll the queue. A wake-up carries no message: what nobody took stays in the queue,
// so no cancellation can lose it.

/** The receiving side of a connection: one receiver at a time. */
internal class Inbound(
    private val endpoint: RdmaEndpoint,
) {
    private val queue = endpoint.receives()
    private val claimed = AtomicBoolean()
    private val waiter = AtomicReference<CancellableContinuation<Unit>?>()

    @Volatile
    private var closed = false

    init {
        queue.listener(::wakeIfReady)
    }

    fun claim() {
        check(claimed.compareAndSet(false, true)) { "the connection has a receiver already: share its Flow instead" }
    }

    fun unclaim() {
        claimed.set(false)
        if (closed) discard()
    }

    /** The next message, or null after an orderly end; the caller holds the claim. */
    suspend fun next(): ReceivedMessage? {
        while (true) {
            val terminated = queue.isTerminated // before the poll: what arrived before the end is delivered
            if (terminated && closed) queue.discard()
            // A flow hands nothing to a collector that is cancelled: what it cannot have stays in the queue.
            currentCoroutineContext().ensureActive()
            queue.poll()?.let { return it }
            if (terminated) {
                endpoint.failure()?.let {
                    throw ConnectionClosedException(
                        "connection is lost: ${it.message}",
                        it,
                        false,
                    )
                }
                return null
            }
            suspendCancellableCoroutine { continuation ->
                waiter.set(continuation)
                continuation.invokeOnCancellation { waiter.compareAndSet(continuation, null) }
                wakeIfReady()
            }
        }
    }

    private fun wakeIfReady() {
        if (!queue.isEmpty || queue.isTerminated) waiter.getAndSet(null)?.resume(Unit)
    }

    /** The application is done: what arrived and was not delivered goes back, once nothing arrives any more. */
    fun close() {
        closed = true
        endpoint.closed().thenRun(::discard)
    }

    private fun discard() {
        if (queue.isTerminated && claimed.compareAndSet(false, true)) {
            queue.discard()
            claimed.set(false)
        }
    }
}
