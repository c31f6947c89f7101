package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import io.rdma.engine.ReceiveQueue
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import java.util.concurrent.atomic.AtomicBoolean

// Invariants
// - Who holds the claim is the only one to poll the queue, and the only one to wait.
// - A wake-up carries no message: what nobody took stays in the queue, so no cancellation can lose it. Nor does it
// matter who is woken in vain.
// - A suspending function makes an object for its state at each call, unless all it suspends in are tail calls. So what
// is called for each message is inlined into what is called once.

/**
 * The receiving side of a connection or of a datagram endpoint: one receiver at a time. What arrives is of the type
 * [M], by the kind of endpoint; [ended] says what has, to who awaits one more.
 */
internal class Inbound<M : ReceivedMessage>(
    private val endpoint: RdmaEndpoint,
    private val ended: String,
) {
    private val queue = endpoint.receives()
    private val claimed = AtomicBoolean()
    private val ready = Wakeup { !queue.isEmpty || queue.isTerminated }

    @Volatile
    private var closed = false

    init {
        queue.listener(ready::wakeIfDue)
    }

    /**
     * One message, decoded in its receive buffer, which is posted again when [decoder] returns. If one is here already
     * nothing is allocated for it.
     */
    suspend fun <T> receive(decoder: (M) -> T): T {
        claim()
        val here =
            try {
                if (queue.isTerminated || !currentCoroutineContext().isActive) null else queue.lend()
            } catch (e: Throwable) {
                unclaim()
                throw e
            }
        return if (here == null) awaited(decoder) else holding { mine(here).use(decoder) }
    }

    private suspend fun <T> awaited(decoder: (M) -> T): T =
        holding {
            val message = next { lend() } ?: throw ConnectionClosedException(ended, null, false)
            message.use(decoder)
        }

    /** Each message until the collector's block returns; lent, so nothing is allocated for it. */
    fun incoming(): Flow<M> =
        flow {
            claim()
            holding {
                while (true) {
                    val message = next { lend() } ?: break
                    message.use { emit(it) }
                }
            }
        }

    /** Each message for the collector to close, which is closed here if the block throws or is cancelled. */
    fun owned(): Flow<M> =
        flow {
            claim()
            holding {
                while (true) {
                    val message = next { poll() } ?: break
                    try {
                        emit(message)
                    } catch (e: Throwable) {
                        // An operator such as first() or take() ends the flow by a CancellationException after the
                        // collector got its message.
                        if (e !is CancellationException || !currentCoroutineContext().isActive) message.close()
                        throw e
                    }
                }
            }
        }

    /** The caller holds the claim, which ends with the block. */
    private inline fun <T> holding(block: () -> T): T {
        try {
            return block()
        } finally {
            unclaim()
        }
    }

    private fun claim() {
        check(claimed.compareAndSet(false, true)) { "the connection has a receiver already: share its Flow instead" }
    }

    private fun unclaim() {
        claimed.set(false)
        if (closed) discard()
    }

    /** The next message, or null after an orderly end; the caller holds the claim. */
    private suspend inline fun next(take: ReceiveQueue.() -> ReceivedMessage?): M? {
        while (true) {
            val terminated = queue.isTerminated // before the poll: what arrived before the end is delivered
            if (terminated && closed) queue.discard()
            // A flow hands nothing to a collector that is cancelled: what it cannot have stays in the queue.
            currentCoroutineContext().ensureActive()
            queue.take()?.let { return mine(it) }
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
            ready.await()
        }
    }

    @Suppress("UNCHECKED_CAST")
    private fun mine(message: ReceivedMessage): M = message as M

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
