package io.rdma.coroutines

import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine

/**
 * Returns the class of the exceptions by which operators such as `first()` and `take()` end a flow after the collector
 * got its item. It is not public, so `first()` throws one here.
 */
internal fun flowAbort(): Class<out Throwable> {
    var thrown: Throwable? = null
    val one =
        flow {
            try {
                emit(Unit)
            } catch (e: Throwable) {
                thrown = e
                throw e
            }
        }
    suspend { one.first() }.startCoroutine(Continuation(EmptyCoroutineContext) { it.getOrThrow() })
    return checkNotNull(thrown).javaClass
}
