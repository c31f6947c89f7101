package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.engine.MessageQueue
import io.rdma.internal.engine.MessageSource
import io.rdma.internal.engine.ReceiveEnd
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import java.util.concurrent.atomic.AtomicReference

// Invariants
// - Only the holder of the claim polls the queue, and only the holder waits.
// - The thread that drops what is left holds the claim only after the end. A receiver that meets it has ended, too.
// - A wake-up carries no message: a message that was not taken stays in the queue, so no cancellation can lose it. A
// spurious wake-up is harmless.
// - A suspending function allocates a state object at each call, unless all its suspensions are tail calls. Therefore
// the code that runs for each message is inlined into functions that are called once.

/**
 * The receiving side of a connection, of a datagram endpoint or of an XRC receiver, with one receiver at a time. The
 * kind of the [source] determines the type [M] of the messages. [ended] is the exception message for a caller that
 * waits for a message after an orderly end.
 */
internal class Inbound<M : ReceivedMessage>(
    private val source: MessageSource,
    private val ended: String,
) {
    private val queue = source.receives()
    private val holder = AtomicReference(Holder.NOBODY)
    private val noMore: () -> Nothing = { throw ConnectionClosedException(ended, null, false) }
    private val ready = Wakeup { !queue.isEmpty || queue.isTerminated }

    private val end = ReceiveEnd(source)

    @Volatile
    private var onExhausted: (() -> Unit)? = null

    init {
        queue.listener(ready::wakeIfDue)
    }

    /**
     * Receives one message. [decoder] reads it in its receive buffer, which is posted again when [decoder] returns.
     * Allocates nothing for a message that has already arrived.
     */
    suspend fun <T> receive(decoder: (M) -> T): T = receive(decoder, noMore)

    /** Receives one message like [receive]. Returns null after an orderly end. */
    suspend fun <T : Any> receiveOrNull(decoder: (M) -> T): T? = receive(decoder, NOTHING)

    private suspend fun <T> receive(
        decoder: (M) -> T,
        atEnd: () -> T,
    ): T {
        StackRoom.require(StackRoom.SIGNAL)
        if (!claim()) {
            throwFailure()
            return atEnd()
        }
        val here =
            try {
                if (queue.isTerminated || !currentCoroutineContext().isActive) null else queue.lend()
            } catch (e: Throwable) {
                unclaim()
                throw e
            }
        return if (here == null) awaited(decoder, atEnd) else holding { lending(mine(here), decoder) }
    }

    private suspend fun <T> awaited(
        decoder: (M) -> T,
        atEnd: () -> T,
    ): T =
        holding {
            val message = next { lendWithRoom() }
            if (message == null) atEnd() else lending(message, decoder)
        }

    /** Returns a flow that lends each message until the collector's block returns, and so allocates nothing for it. */
    fun incoming(): Flow<M> =
        flow {
            if (!claim()) return@flow throwFailure()
            holding {
                while (true) {
                    val message = next { lendWithRoom() } ?: break
                    lending(message) { emit(it) }
                }
            }
        }

    /**
     * Returns a flow of messages that the collector closes. The flow closes a message if the block throws or
     * is cancelled.
     */
    fun owned(): Flow<M> =
        flow {
            if (!claim()) return@flow throwFailure()
            holding {
                while (true) {
                    val message = next { pollWithRoom() } ?: break
                    try {
                        emit(message)
                    } catch (e: Throwable) {
                        // A CancellationException does not say that the coroutine is cancelled: the block may throw
                        // one, such as that of withTimeout.
                        if (!ABORT.isInstance(e) || !currentCoroutineContext().isActive) message.close()
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

    /** Runs [block] with a [message] that was taken last, and closes the message. */
    private inline fun <T> lending(
        message: M,
        block: (M) -> T,
    ): T {
        val result =
            try {
                block(message)
            } catch (e: Throwable) {
                message.use { throw e }
            }
        queue.close(message)
        return result
    }

    /** Returns whether the caller may receive now. False after the end, while another thread drops what is left. */
    private fun claim(): Boolean =
        when (holder.compareAndExchange(Holder.NOBODY, Holder.RECEIVER)) {
            Holder.NOBODY -> true
            Holder.RECEIVER -> error("the connection has a receiver already: share its Flow instead")
            Holder.DISCARD -> false
        }

    private fun throwFailure() {
        end.failure()?.let { throw ConnectionClosedException.lost(it) }
    }

    private fun unclaim() {
        holder.set(Holder.NOBODY)
        if (end.isGivenUp) discard()
        runIfExhausted()
    }

    /** Returns the next message, or null after an orderly end. The caller holds the claim. */
    private suspend inline fun next(take: MessageQueue.() -> ReceivedMessage?): M? {
        while (true) {
            val terminated = queue.isTerminated // before the poll: messages that arrived before the end are delivered
            if (terminated && end.isGivenUp) {
                StackRoom.require(StackRoom.SIGNAL)
                queue.discard()
            }
            // A flow emits nothing to a cancelled collector, so a message stays in the queue until it can be emitted.
            currentCoroutineContext().ensureActive()
            queue.take()?.let { return mine(it) }
            if (terminated) {
                throwFailure()
                return null
            }
            ready.await()
        }
    }

    // These test for the close of the message, too.
    private fun MessageQueue.lendWithRoom(): ReceivedMessage? {
        requireRoomToLend()
        return lend()
    }

    private fun MessageQueue.pollWithRoom(): ReceivedMessage? {
        StackRoom.require(StackRoom.SIGNAL)
        return poll()
    }

    @Suppress("UNCHECKED_CAST")
    private fun mine(message: ReceivedMessage): M = message as M

    /**
     * Ends receiving. Messages that arrived and were not delivered are released once no more can arrive. The receiver
     * ends with the [cause] of an abort, which is null for a close.
     */
    fun close(cause: Throwable? = null) {
        end.giveUp(cause)
        source.closed().thenRun(::discard)
    }

    private fun discard() {
        if (source.handsOver(::discard)) return
        if (queue.isTerminated && holder.compareAndSet(Holder.NOBODY, Holder.DISCARD)) {
            try {
                queue.discard()
            } finally {
                holder.set(Holder.NOBODY)
            }
            runIfExhausted()
        }
    }

    /**
     * Runs [action] when the connection has ended, all messages that arrived have been received or dropped, and no
     * receiver is active. Then it may run several times and on any thread. It must not block. One action at a time.
     */
    fun onExhausted(action: () -> Unit) {
        onExhausted = action
        source.closed().thenRun(::runIfExhausted)
    }

    private fun runIfExhausted() {
        // The receiver that gives up its claim checks afterwards, so the last of several always sees the final state.
        val action = onExhausted ?: return
        if (queue.isTerminated && queue.isEmpty && holder.get() == Holder.NOBODY) action()
    }

    private enum class Holder { NOBODY, RECEIVER, DISCARD }

    private companion object {
        val NOTHING: () -> Nothing? = { null }
        val ABORT = flowAbort() // before the first message
    }
}
