package io.rdma.coroutines

import io.rdma.buffer.BufferPool
import io.rdma.buffer.BufferWaiter
import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.Operation
import io.rdma.engine.Submitter
import io.rdma.engine.WorkRequest
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

// The cancellation handler is set before anything is submitted: a coroutine that is cancelled already never posts, and one that is
// cancelled later abandons the operation, whose buffer the engine keeps until the device is done.

/** Submits [request] and suspends until it ends; the result is the old value of an atomic, else 0. */
internal suspend fun Submitter.await(request: WorkRequest): Long =
    suspendCancellableCoroutine { continuation ->
        val operation =
            object : Operation(request) {
                override fun completed(value: Long) = continuation.resume(value)

                override fun failed(error: RuntimeException) = continuation.resumeWithException(error)
            }
        continuation.invokeOnCancellation { operation.abandon() }
        try {
            submit(operation)
        } catch (misuse: RuntimeException) {
            continuation.resumeWithException(misuse)
        }
    }

/** Suspends until the pool has a buffer; one that arrives too late for a cancelled coroutine goes back. */
internal suspend fun BufferPool.await(): RegisteredBuffer =
    suspendCancellableCoroutine { continuation ->
        val waiter =
            object : BufferWaiter() {
                override fun acquired(buffer: RegisteredBuffer) =
                    continuation.resume(buffer) { _, late, _ -> late.close() }

                override fun failed(error: RuntimeException) = continuation.resumeWithException(error)
            }
        continuation.invokeOnCancellation { waiter.abandon() }
        acquire(waiter)
    }
