package io.rdma.samples.simulation.world

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture

/** Call of the coroutines front-end: a coroutine of its own, which runs [block]. */
internal class CoroutineCall<T : Any>(
    private val verdict: Verdict,
    private val host: Host,
    private val name: String,
    dispatcher: CoroutineDispatcher,
    block: suspend () -> T?,
) : Call<T> {
    private val progress = Progress<T>(verdict, host, name)
    private val job: Job = CoroutineScope(dispatcher).launch { run(block) }

    private suspend fun run(block: suspend () -> T?) {
        try {
            val value = block()
            if (progress.isCancelled) {
                (value as? AutoCloseable)?.close() // the coroutine had its result before it was cancelled
            }
            progress.succeeded(value)
        } catch (e: Throwable) {
            // also a cancellation that nobody asked for
            progress.failed(e)
        }
    }

    override fun end(): CompletableFuture<T> = progress.end()

    /** Cancels the coroutine. It must then end, too. */
    override fun cancel() {
        if (progress.cancelled(CancellationException())) {
            val end = Progress<Void>(verdict, host, "end of $name")
            job.invokeOnCompletion { end.succeeded(null) }
            job.cancel()
        }
    }

    override fun gone(): CompletableFuture<*> =
        CompletableFuture<Void?>().also {
            job.invokeOnCompletion { _ -> it.complete(null) }
        }

    /** Suspends until the coroutine has ended. */
    suspend fun join(): Unit = job.join()

    override fun toString(): String = name
}
