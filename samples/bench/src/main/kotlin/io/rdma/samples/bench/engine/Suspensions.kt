package io.rdma.samples.bench.engine

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resume

// Invariant: one thread runs the coroutines and resumes them, as the loop of a connection does.

/** Coroutines that do nothing but suspend, and a loop that resumes the one that has waited longest. */
class Suspensions : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Unconfined)
    private val waiting = ArrayDeque<CancellableContinuation<Unit>>()

    // Generic, so that the call of it is a tail call without a state object, as in the library.
    @Suppress("UNCHECKED_CAST")
    private suspend fun <T> awaitTurn(): T =
        suspendCancellableCoroutine { waiting.addLast(it as CancellableContinuation<Unit>) }

    private suspend fun suspendOnce(): Unit = awaitTurn()

    /** Runs a number of coroutines, each of which suspends a number of times. */
    fun run(
        coroutines: Int,
        times: Int,
    ) {
        repeat(coroutines) {
            scope.launch {
                repeat(times) { suspendOnce() }
            }
        }
        while (waiting.isNotEmpty()) {
            waiting.removeFirst().resume(Unit)
        }
    }

    override fun close() {
        scope.cancel()
    }
}
