package io.rdma.samples.simulation.world

import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Runnable
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resume

/**
 * Dispatcher for simulations: each dispatch has a virtual thread of its own, and so has each delay. A virtual thread
 * that a simulated thread starts is simulated, too. The agent makes `Dispatchers.Default`, `Dispatchers.IO` and the
 * delays of all other dispatchers this one, because theirs run on threads that are not simulated.
 */
@OptIn(InternalCoroutinesApi::class)
internal object SimulatedDispatcher : CoroutineDispatcher(), Delay {
    override fun dispatch(
        context: CoroutineContext,
        block: Runnable,
    ) {
        Thread.ofVirtual().name("coroutine").start(block)
    }

    override fun scheduleResumeAfterDelay(
        timeMillis: Long,
        continuation: CancellableContinuation<Unit>,
    ) {
        val timer = after(timeMillis) { continuation.resume(Unit) }
        continuation.invokeOnCancellation { timer.dispose() }
    }

    override fun invokeOnTimeout(
        timeMillis: Long,
        block: Runnable,
        context: CoroutineContext,
    ): DisposableHandle = after(timeMillis, block)

    private fun after(
        timeMillis: Long,
        task: Runnable,
    ): DisposableHandle {
        val thread =
            Thread.ofVirtual().name("delay").start {
                try {
                    Thread.sleep(timeMillis)
                } catch (_: InterruptedException) {
                    return@start
                }
                task.run()
            }
        return DisposableHandle(thread::interrupt)
    }
}
