package io.rdma.coroutines.pool

import io.rdma.connect.PoolExhaustedException
import io.rdma.connect.PoolOptions
import io.rdma.internal.connect.PoolLifetime
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.atomic.LongAdder
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.time.toKotlinDuration

// Invariants
// - The lock guards all variables. No coroutine is resumed and no connection is closed under it.
// - `size` counts the connections in the queue, those in use, and those being made. While a waiter waits, `size` is at
// its bound and no connection is idle.
// - The thread that takes a waiter from the queue under the lock resumes it. A grant that arrives after the waiter was
// cancelled is given back.

/** Idle connections of a pool, and the coroutines that wait for one. */
internal class PoolQueue(
    private val options: PoolOptions,
    private val timers: CoroutineScope,
    private val connect: suspend () -> PoolEntry,
) {
    /** A coroutine that waits. It gets a connection, or null for the right to make one. */
    private class Waiter(
        val continuation: CancellableContinuation<PoolEntry?>,
    )

    private val lock = Any()
    private val idle = ArrayDeque<PoolEntry>()
    private val waiters = ArrayDeque<Waiter>()
    private var size = 0
    private var connecting = 0
    private var closed = false
    val exhausted: LongAdder = LongAdder()

    val active: Int get() = synchronized(lock) { size - idle.size - connecting }
    val idles: Int get() = synchronized(lock) { idle.size }
    val pending: Int get() = synchronized(lock) { waiters.size }

    /** Takes an idle connection, or makes one, or waits for one behind those that wait already. */
    suspend fun take(): PoolEntry {
        val dropped = mutableListOf<PoolEntry>()
        var entry: PoolEntry? = null
        val served =
            synchronized(lock) {
                if (closed) throw PoolLifetime.closedError()
                if (waiters.isEmpty()) {
                    entry = pollIdle(dropped)
                    entry != null || countNew()
                } else {
                    false
                }
            }
        dropped.forEach { it.connection.close() }
        return entry ?: (if (served) null else await()) ?: make()
    }

    /** Counts a connection that is about to be made, if there is room for it. */
    private fun countNew(): Boolean {
        if (size == options.maxConnections()) return false
        size++
        connecting++
        return true
    }

    private fun pollIdle(dropped: MutableList<PoolEntry>): PoolEntry? {
        while (idle.isNotEmpty()) {
            val next = if (options.lifo()) idle.removeLast() else idle.removeFirst()
            if (!next.isUnfit(options)) return next
            dropped += next
            size--
        }
        return null
    }

    /** Waits for a connection. Returns null if the caller is to make one, which is counted already. */
    private suspend fun await(): PoolEntry? {
        var limit: Job? = null
        try {
            return suspendCancellableCoroutine { continuation ->
                val waiter = Waiter(continuation)
                enqueue(waiter)
                // Afterwards: a coroutine that was cancelled before runs this at once.
                continuation.invokeOnCancellation { synchronized(lock) { waiters.remove(waiter) } }
                limit =
                    timers.launch {
                        delay(options.pendingAcquireTimeout().toKotlinDuration())
                        expire(waiter)
                    }
            }
        } finally {
            limit?.cancel()
        }
    }

    /** Queues a waiter, and serves it if a connection has become free by now. */
    private fun enqueue(waiter: Waiter) {
        var refusal: Throwable? = null
        synchronized(lock) {
            val isFree = idle.isNotEmpty() || size < options.maxConnections()
            if (closed) {
                refusal = PoolLifetime.closedError()
            } else if (isFree || waiters.size < options.pendingAcquireMaxCount()) {
                waiters.addLast(waiter)
            } else {
                exhausted.increment()
                refusal = PoolExhaustedException.refused(options)
            }
        }
        when (val error = refusal) {
            null -> serveWaiters()
            else -> waiter.continuation.resumeWithException(error)
        }
    }

    private fun expire(waiter: Waiter) {
        if (synchronized(lock) { waiters.remove(waiter) }) {
            exhausted.increment()
            waiter.continuation.resumeWithException(PoolExhaustedException.timedOut(options))
        }
    }

    /** Makes a connection that is counted already. */
    private suspend fun make(): PoolEntry {
        val made =
            try {
                connect()
            } catch (e: Throwable) {
                // another waiter gets the room, whatever this is
                giveBack(null)
                throw e
            }
        synchronized(lock) { connecting-- }
        return made
    }

    /** Returns a connection after its use. It is closed if it is unfit or the pool was closed. */
    fun put(entry: PoolEntry) {
        entry.becomesIdle()
        val fits = !entry.isUnfit(options)
        val kept =
            synchronized(lock) {
                val keeps = fits && !closed
                if (keeps) idle.addLast(entry) else size--
                keeps
            }
        if (!kept) entry.connection.close()
        serveWaiters()
    }

    /** Gives idle connections, and the right to make new ones, to those that wait. */
    private fun serveWaiters() {
        while (true) {
            val dropped = mutableListOf<PoolEntry>()
            var entry: PoolEntry? = null
            val waiter =
                synchronized(lock) {
                    if (waiters.isEmpty()) {
                        null
                    } else {
                        entry = pollIdle(dropped)
                        if (entry != null || countNew()) waiters.removeFirst() else null
                    }
                }
            dropped.forEach { it.connection.close() }
            if (waiter == null) return
            waiter.continuation.resume(entry) { _, late, _ -> giveBack(late) }
        }
    }

    /** Takes back what a cancelled waiter got: a connection, or null for the right to make one, which is not used. */
    private fun giveBack(granted: PoolEntry?) {
        if (granted != null) {
            put(granted)
        } else {
            synchronized(lock) {
                connecting--
                size--
            }
            serveWaiters()
        }
    }

    /** Closes idle connections that are unfit. */
    fun evict() {
        val unfit =
            synchronized(lock) {
                val found = idle.filter { it.isUnfit(options) }
                idle.removeAll(found.toSet())
                size -= found.size
                found
            }
        unfit.forEach { it.connection.close() }
    }

    /** Refuses those that wait, and closes the idle connections. Those in use are closed when they are returned. */
    fun close() {
        val waiting: List<Waiter>
        val unused: List<PoolEntry>
        synchronized(lock) {
            closed = true
            waiting = waiters.toList()
            waiters.clear()
            unused = idle.toList()
            idle.clear()
            size -= unused.size
        }
        waiting.forEach { it.continuation.resumeWithException(PoolLifetime.closedError()) }
        unused.forEach { it.connection.close() }
    }
}
