package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.engine.Endpoint
import io.rdma.internal.engine.ReceiveQueue
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import java.util.concurrent.atomic.AtomicBoolean

// Invariants
// - Only the holder of the claim polls the queue, and only the holder waits.
// - A wake-up carries no message: a message that was not taken stays in the queue, so no cancellation can lose it. A
// spurious wake-up is harmless.
// - A suspending function allocates a state object at each call, unless all its suspensions are tail calls. Therefore
// the code that runs for each message is inlined into functions that are called once.

/**
 * The receiving side of a connection or of a datagram endpoint, with one receiver at a time. The kind of the endpoint
 * determines the type [M] of the messages. [ended] is the exception message for a caller that waits for a message after
 * an orderly end.
 */
internal class Inbound<M : ReceivedMessage>(
    private val endpoint: Endpoint,
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
     * Receives one message. [decoder] reads it in its receive buffer, which is posted again when [decoder] returns.
     * Allocates nothing for a message that has already arrived.
     */
    suspend fun <T> receive(decoder: (M) -> T): T {
        StackRoom.require(StackRoom.SIGNAL)
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

    /** Returns a flow that lends each message until the collector's block returns, and so allocates nothing for it. */
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

    /**
     * Returns a flow of messages that the collector closes. The flow closes a message if the block throws or
     * is cancelled.
     */
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

    /** Runs [block] and releases the claim afterwards. The caller holds the claim. */
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

    /** Returns the next message, or null after an orderly end. The caller holds the claim. */
    private suspend inline fun next(take: ReceiveQueue.() -> ReceivedMessage?): M? {
        while (true) {
            val terminated = queue.isTerminated // before the poll: messages that arrived before the end are delivered
            if (terminated && closed) queue.discard()
            // A flow emits nothing to a cancelled collector, so a message stays in the queue until it can be emitted.
            currentCoroutineContext().ensureActive()
            StackRoom.require(StackRoom.SIGNAL) // so that the message can be closed, too
            queue.take()?.let { return mine(it) }
            if (terminated) {
                endpoint.failure()?.let { throw ConnectionClosedException.lost(it) }
                return null
            }
            ready.await()
        }
    }

    @Suppress("UNCHECKED_CAST")
    private fun mine(message: ReceivedMessage): M = message as M

    /** Ends receiving. Messages that arrived and were not delivered are released once no more can arrive. */
    fun close() {
        closed = true
        endpoint.closed().thenRun(::discard)
    }

    private fun discard() {
        if (queue.isTerminated && claimed.compareAndSet(false, true)) {
            try {
                queue.discard()
            } finally {
                claimed.set(false)
            }
        }
    }
}
