package io.rdma.coroutines

import kotlinx.coroutines.channels.Channel
import java.util.concurrent.atomic.AtomicBoolean

// Invariants
// - `waiting` is raised before the waiter's last look at what it waits for, and whoever brings that about looks at
// `waiting` afterwards, behind a full fence or an atomic instruction: at least one of the two sees the other, and who
// lowers it ends the wait.
// - A waiter that is cancelled leaves `waiting` raised, and a waker may be late: the next one may be woken in vain, but
// never misses a wake-up.
// - The channel is there for what its receive() suspends with, which kotlinx uses again at the next wait of the same
// caller; a continuation of one's own would be garbage each time.

/** One coroutine at a time waits here until [isDue]. */
internal class Wakeup(
    private val isDue: () -> Boolean,
) {
    private val waiting = AtomicBoolean()
    private val wakes = Channel<Unit>(Channel.CONFLATED)

    /** Suspends until it is due, or in vain; a tail call for the caller. */
    suspend fun await() {
        waiting.set(true)
        if (!ends()) wakes.receive()
    }

    /** What is waited for may have come about, behind a full fence. Any thread. */
    fun wakeIfDue() {
        if (waiting.get() && ends()) wakes.trySend(Unit)
    }

    private fun ends() = isDue() && waiting.compareAndSet(true, false)
}
