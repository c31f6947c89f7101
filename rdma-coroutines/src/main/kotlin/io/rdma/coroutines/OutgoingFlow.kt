package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.internal.engine.Endpoint
import io.rdma.internal.engine.MessageStream
import io.rdma.internal.os.StackRoom
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.job
import kotlinx.coroutines.withContext
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

// Invariants
// - `emitted` counts the messages, `arrived` those that the peer's device has. `total` is `emitted` once the collection
// has ended. The thread that finds `arrived` equal to it, after its write of either number, completes `delivered`.
// - At most `bound` messages are not delivered. The coroutine that sent the last of them waits until a quarter of the
// room is free, so that many messages share one suspension. If that wait is cancelled, the message is still sent.
// - The thread that takes `gate` from 0 adds messages and flushes, for all threads. Mostly that is the thread of the
// collector, which also encodes meanwhile. If it finds another one there, which is flushing, it leaves its message in
// `waiting` and goes on.
// - A buffer whose message was copied into another one is kept in `spare` for the next message, but only as long as a
// request is in flight: other streams may wait for it.
// - A batch of small messages that stays open has a request before it, whose end flushes again.
// - `delivered` is a child of the scope that collects. Its failure cancels the collection. A cancelled scope cancels
// `delivered`, which abandons the outstanding messages. The scope ends only after `delivered` has ended.

private const val A_BUFFER = -1

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
    private val room = Wakeup { undelivered() <= bound() - maxOf(1, bound() / 4) }
    private var emitted = 0L // (collector) writes. Others read it behind a Wakeup
    private val arrived = AtomicLong()

    @Volatile
    private var total = -1L
    private val delivered = CompletableDeferred<Unit>(scope.coroutineContext.job)
    private val gate = AtomicInteger()
    private val waiting = ConcurrentLinkedQueue<RegisteredBuffer>()
    private var spare: RegisteredBuffer? = null // (gate)

    @Volatile
    private var ended = false // no more messages follow

    init {
        delivered.invokeOnCompletion { cause ->
            if (cause != null) {
                ended = true
                abandonAll()
                drain()
            }
        }
    }

    // Tail calls: while buffers are available, a message allocates no state object for this function, even if it waits
    // for room.
    override suspend fun emit(value: T) {
        // Mostly the message is only copied into the open batch, for which the small test is enough. Where it turns out
        // to need more, what does more tests again.
        val little = isBusy() && undelivered() + 1 < bound()
        StackRoom.require(if (little) StackRoom.RELEASE else StackRoom.SIGNAL)
        if (undelivered() >= bound()) return emitLater(value)
        val lacking = tryEmit(value)
        if (lacking != 0) return emitWithMemory(value, lacking)
        if (undelivered() >= bound()) room.await()
    }

    /**
     * Emits [value] after a wait for room. It is called if an earlier wait ended spuriously, or was cancelled although
     * the collector continues.
     */
    private suspend fun emitLater(value: T) {
        while (undelivered() >= bound()) room.await()
        emit(value)
    }

    private fun undelivered() = emitted - arrived.get()

    /** Returns the number of messages that may be in flight. It is larger while they share SENDs. */
    private fun bound() =
        if (isSharing() && inSeparateMemory() == 0) {
            endpoint.options().maxSmallMessagesInFlight()
        } else {
            endpoint.options().maxMessagesInFlight()
        }

    /** Emits [value], for which [tryEmit] lacked a buffer or larger memory. */
    private suspend fun emitWithMemory(
        value: T,
        lacking: Int,
    ) {
        val length = if (lacking == A_BUFFER) emit(value, endpoint.sendBuffers().await(exclusive = true)) else lacking
        if (length > 0) emitExactly(value, length)
        if (undelivered() >= bound()) room.await()
    }

    /**
     * Emits [value] if its buffer is available at once.
     *
     * @return 0 if it was; [A_BUFFER] if there is no buffer for it now; else the length of the memory that it needs
     */
    private fun tryEmit(value: T): Int {
        val length = encoder.length(value)
        if (length > endpoint.sendBuffers().bufferSize()) return length
        if (gate.compareAndSet(0, 1)) return tryEmitHeld(value)
        StackRoom.require(StackRoom.SIGNAL)
        return emit(value, endpoint.sendBuffers().tryAcquireExclusive() ?: return A_BUFFER)
    }

    /** Does [tryEmit] for a message that is not known to be larger than a buffer. The caller has taken the gate. */
    private fun tryEmitHeld(value: T): Int =
        try {
            val pooled = spare ?: endpoint.sendBuffers().tryAcquireExclusive()
            if (pooled == null) A_BUFFER else addEncoded(value, pooled)
        } finally {
            drainHeld()
        }

    /** Adds [value], or returns how many bytes it needs if [pooled] is too small. With the gate. */
    private fun addEncoded(
        value: T,
        pooled: RegisteredBuffer,
    ): Int {
        spare = null
        val required = encode(value, pooled)
        if (required > 0) {
            spare = pooled
            return required
        }
        counting {
            spare =
                if (append(pooled)) {
                    pooled
                } else {
                    pooled.closeOnFailure { StackRoom.require(StackRoom.SIGNAL) } // for another SEND
                    add(pooled)
                }
        }
        return 0
    }

    /** Encodes [value], and returns how many bytes it needs if [pooled], which remains open, is too small; else 0. */
    private fun encode(
        value: T,
        pooled: RegisteredBuffer,
    ): Int = pooled.closeOnFailure { fit(encoder.encode(value, pooled.segment()), pooled) }

    /** Counts the message that [send] sends, unless it throws: a flow that continues must not wait for the message. */
    private inline fun counting(send: () -> Unit) {
        emitted++
        try {
            send()
        } catch (e: Throwable) {
            emitted--
            throw e
        }
    }

    /** Emits [value] in [pooled], or returns how many bytes it needs if that is too small; else 0. */
    private fun emit(
        value: T,
        pooled: RegisteredBuffer,
    ): Int {
        val required = encode(value, pooled)
        if (required == 0) emitEncoded(pooled) else pooled.close()
        return required
    }

    /** Emits [value] in memory of its own, of [length]. The allocation blocks another thread than the collector's. */
    private suspend fun emitExactly(
        value: T,
        length: Int,
    ) {
        val onLoop = endpoint.loop().isLoopThread // withContext may return on the loop if it ends soon
        var own: RegisteredBuffer? = null
        try {
            withContext(Dispatchers.IO) {
                val buffer = endpoint.memory().allocateBuffer(length)
                own = buffer
                if (onLoop) {
                    fill(buffer, value)
                }
            }
        } catch (e: Throwable) {
            // a cancel may have come behind the allocation
            own?.close()
            throw e
        }
        val message = checkNotNull(own)
        if (!onLoop) {
            message.closeOnFailure { fill(message, value) }
        }
        emitEncoded(message)
    }

    private fun fill(
        message: RegisteredBuffer,
        value: T,
    ) {
        StackRoom.require(StackRoom.SIGNAL)
        requireFilled(encoder.encode(value, message.segment()), message)
    }

    private fun emitEncoded(message: RegisteredBuffer) {
        counting {
            if (!enter(message)) return
            try {
                add(message)?.close()
            } finally {
                drainHeld()
            }
        }
    }

    /** Takes the gate for [message], or leaves the message to the thread that has it, and returns false. */
    private fun enter(message: RegisteredBuffer): Boolean {
        if (gate.compareAndSet(0, 1)) return true
        try {
            waiting.add(message)
        } catch (e: Throwable) {
            // no memory
            message.close()
            throw e
        }
        drain()
        return false
    }

    /** Adds what waits, and flushes if that is due, unless another thread does. */
    private fun drain() {
        if (gate.getAndIncrement() == 0) drainHeld()
    }

    private fun drainHeld() {
        var missed = 1
        do {
            try {
                while (true) add(waiting.poll() ?: break)?.close()
                if (hasOpenBatch() && (ended || !isBusy()) && canFlush()) flush()
                if (ended || isIdle()) closeSpare()
            } catch (e: Throwable) {
                // misuse, or exhausted stack or memory: the scope fails with it
                delivered.completeExceptionally(e)
            }
            missed = gate.addAndGet(-missed)
        } while (missed != 0)
    }

    /**
     * Returns whether to flush now. On a nearly full stack the end of a request in flight does it, if there is one that
     * will be told of: a failed stream is not told. Its flush only gives the buffer back.
     */
    private fun canFlush() = StackRoom.has(StackRoom.SIGNAL) || isIdle() || delivered.isCompleted

    private fun closeSpare() {
        spare.also { spare = null }?.close()
    }

    /** Runs [encode], and closes this buffer if it throws: no exception of the application may leak the buffer. */
    private inline fun <R> RegisteredBuffer.closeOnFailure(encode: () -> R): R =
        try {
            encode()
        } catch (e: Throwable) {
            close()
            throw e
        }

    /** Ends the stream when all its messages are delivered. Called when the collection has ended. */
    fun complete() {
        total = emitted
        completeIfAll(arrived.get())
        ended = true
        drain()
    }

    private fun completeIfAll(messages: Long) {
        if (messages == total) {
            finished()
            delivered.complete(Unit)
        }
    }

    override fun sent(messages: Int) {
        completeIfAll(arrived.addAndGet(messages.toLong()))
        room.wakeIfDue()
        drain()
    }

    override fun failed(error: RuntimeException) {
        delivered.completeExceptionally(error)
    }
}
