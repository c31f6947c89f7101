package io.rdma.coroutines

import kotlinx.coroutines.channels.Channel
import java.util.concurrent.atomic.AtomicBoolean

// Invariants
// - The waiter sets `waiting` before it checks the condition for the last time. A thread that makes the condition true
// reads `waiting` afterwards, behind a full fence or an atomic instruction. So at least one of the two threads sees
// what the other one did. The thread that clears `waiting` ends the wait.
// - A cancelled waiter leaves `waiting` set, and a waker may be late. The next waiter may therefore be woken although
// the condition is false, but it never misses a wake-up.
// - The channel is used for the object that its receive() suspends with, which kotlinx reuses for the next wait of the
// same caller. A continuation of our own would be garbage after each wait.

/** A condition that one coroutine at a time waits for, until [isDue] returns true. */
internal class Wakeup(
    private val isDue: () -> Boolean,
) {
    private val waiting = AtomicBoolean()
    private val wakes = Channel<Unit>(Channel.CONFLATED)

    /** Suspends until [isDue] returns true. May return spuriously. The caller can call it as a tail call. */
    suspend fun await() {
        waiting.set(true)
        if (!ends()) wakes.receive()
    }

    /**
     * Wakes the waiter if [isDue] returns true. The caller has just changed the condition, behind a full fence.
     * Any thread.
     */
    fun wakeIfDue() {
        if (waiting.get() && ends()) wakes.trySend(Unit)
    }

    private fun ends() = isDue() && waiting.compareAndSet(true, false)
}
