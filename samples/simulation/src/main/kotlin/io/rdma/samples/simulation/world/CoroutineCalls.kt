package io.rdma.samples.simulation.world

import kotlinx.coroutines.CoroutineDispatcher

/** Starter of the calls of the coroutines front-end on a host. Their coroutines run in [dispatcher]. */
internal class CoroutineCalls(
    private val verdict: Verdict,
    val host: Host,
    val dispatcher: CoroutineDispatcher,
) {
    /** Starts a call that ends with the result of [block]. */
    fun <T : Any> start(
        name: String,
        block: suspend () -> T?,
    ): CoroutineCall<T> = CoroutineCall(verdict, host, name, dispatcher, block)

    /** Starts a call without a result. */
    fun act(
        name: String,
        block: suspend () -> Unit,
    ): CoroutineCall<Void> =
        start(name) {
            block()
            null
        }
}
