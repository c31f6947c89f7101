package io.rdma.coroutines

import io.rdma.buffer.BufferPool
import io.rdma.buffer.BufferWaiter
import io.rdma.buffer.RegisteredBuffer
import io.rdma.internal.engine.Operation
import io.rdma.internal.engine.Submitter
import io.rdma.internal.engine.WorkRequest
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.future.await
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

// - A coroutine that is cancelled before the submit posts nothing. A coroutine that is cancelled while its operation
// waits for room abandons the operation. After the post there is nothing to abandon: the cancellation resumes the
// coroutine, and the engine keeps the buffer until the device is done with it. The result of the operation then goes to
// a continuation that has already ended and ignores it.
// - A suspending function whose only suspension is a call whose result it returns unchanged, and which is generic or
// does not return Unit, compiles to a tail call: it allocates no state object, and the completion resumes the caller's
// continuation, which already knows its dispatcher. Therefore `await` and `awaitValue` call a generic function.

/** Submits [request] and suspends until it has ended. */
internal suspend fun Submitter.await(request: WorkRequest): Unit = awaitEnd(request)

/** Submits [request], an atomic, and suspends until it has ended. Returns the old value. */
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
        // An operation that ends in another way, such as with its connection, resumes the coroutine when it ends.
        if (operation.abandon()) continuation.resumeWithException(refused)
        return
    }
    if (operation.isWaiting) continuation.invokeOnCancellation { operation.abandon() }
}

/** An operation whose end resumes [continuation]. [T] is [Long] for atomics and [Unit] for all other operations. */
private class Awaited<T>(
    request: WorkRequest,
    private val continuation: CancellableContinuation<T>,
) : Operation(request) {
    @Suppress("UNCHECKED_CAST")
    override fun completed(value: Long) = continuation.resume((if (request().isAtomic) value else Unit) as T)

    override fun failed(error: RuntimeException) = continuation.resumeWithException(error)
}

/**
 * Suspends until the pool has a free buffer. A buffer that arrives after the coroutine was cancelled returns to the
 * pool. For [exclusive] buffers see [RegisteredBuffer.place].
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

/** Suspends until the future, for which others wait as well, completes: a cancellation does not cancel it. */
internal suspend fun CompletableFuture<Void>.awaitShared() {
    copy().await()
}
