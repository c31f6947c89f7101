package io.rdma.coroutines

import io.rdma.buffer.BufferPool
import io.rdma.buffer.BufferWaiter
import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.Operation
import io.rdma.engine.Submitter
import io.rdma.engine.WorkRequest
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

// - A coroutine that is cancelled before the submit posts nothing. One that is cancelled while its operation waits for
// room abandons it. Once the request is posted there is nothing to abandon: the coroutine is resumed by its
// cancellation, the engine keeps the buffer until the device is done, and what the operation says then is said to a
// continuation that has ended, which ignores it.
// - A suspending function that returns what it awaits, generic or not Unit, and nothing else, is a tail call: it has no
// object for its state, and the caller's continuation is resumed, which knows its dispatcher already. Hence the detour
// of a generic function.

/** Submits [request] and suspends until it ends. */
internal suspend fun Submitter.await(request: WorkRequest): Unit = awaitEnd(request)

/** Submits [request], an atomic, and suspends until it ends; the result is the old value. */
internal suspend fun Submitter.awaitValue(request: WorkRequest): Long = awaitEnd(request)

private suspend fun <T> Submitter.awaitEnd(request: WorkRequest): T =
    suspendCancellableCoroutine { continuation ->
        if (continuation.isActive) submit(Awaited(request, continuation), continuation)
    }

private fun Submitter.submit(
    operation: Operation,
    continuation: CancellableContinuation<*>,
) {
    try {
        submit(operation)
    } catch (refused: Throwable) {
        // One that ends by itself all the same, such as with its connection, resumes then.
        if (operation.abandon()) continuation.resumeWithException(refused)
        return
    }
    if (operation.isWaiting) continuation.invokeOnCancellation { operation.abandon() }
}

/** [T] is [Long] for atomics and [Unit] for the rest. */
private class Awaited<T>(
    request: WorkRequest,
    private val continuation: CancellableContinuation<T>,
) : Operation(request) {
    @Suppress("UNCHECKED_CAST")
    override fun completed(value: Long) = continuation.resume((if (request().isAtomic) value else Unit) as T)

    override fun failed(error: RuntimeException) = continuation.resumeWithException(error)
}

/**
 * Suspends until the pool has a buffer; one that arrives too late for a cancelled coroutine goes back. Of an
 * [exclusive] one see [RegisteredBuffer.place].
 */
internal suspend fun BufferPool.await(exclusive: Boolean = false): RegisteredBuffer =
    suspendCancellableCoroutine { continuation ->
        val waiter =
            object : BufferWaiter(exclusive) {
                override fun acquired(buffer: RegisteredBuffer) =
                    continuation.resume(buffer) { _, late, _ -> late.close() }

                override fun failed(error: RuntimeException) = continuation.resumeWithException(error)
            }
        continuation.invokeOnCancellation { waiter.abandon() }
        acquire(waiter)
    }
