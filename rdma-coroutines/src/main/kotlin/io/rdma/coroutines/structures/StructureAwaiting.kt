package io.rdma.coroutines.structures

import io.rdma.internal.structures.StructureCall
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resumeWithException

/**
 * Starts a call and suspends until it has ended. The cancellation of the coroutine cancels the call. A result that
 * comes too late for that goes to [late].
 */
internal suspend fun <T : Any> awaitOutcome(
    late: (T) -> Unit = {},
    start: (StructureCall.Outcome<T>) -> StructureCall<*>,
): T? =
    suspendCancellableCoroutine { continuation ->
        val outcome =
            object : StructureCall.Outcome<T> {
                override fun succeeded(value: T?) = continuation.resume(value) { _, lost, _ -> lost?.let(late) }

                override fun failed(error: Throwable) = continuation.resumeWithException(error)
            }
        if (continuation.isActive) {
            val call = start(outcome)
            continuation.invokeOnCancellation { call.cancel() }
        }
    }

/** Awaits a call that always has a result. */
internal suspend fun <T : Any> awaitValue(start: (StructureCall.Outcome<T>) -> StructureCall<*>): T =
    checkNotNull(awaitOutcome(start = start))
