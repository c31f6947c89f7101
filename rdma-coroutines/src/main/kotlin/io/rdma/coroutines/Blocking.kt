package io.rdma.coroutines

import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resumeWithException

/**
 * Runs [make], which blocks, on a virtual thread. Cancellation is prompt. A result that comes after it is passed to
 * [release].
 */
internal suspend fun <T> blocking(
    release: (T) -> Unit,
    make: () -> T,
): T =
    suspendCancellableCoroutine { continuation ->
        Thread.startVirtualThread {
            try {
                continuation.resume(make()) { _, late, _ -> release(late) }
            } catch (e: Throwable) {
                // the suspended caller must get every failure of any type
                continuation.resumeWithException(e)
            }
        }
    }
