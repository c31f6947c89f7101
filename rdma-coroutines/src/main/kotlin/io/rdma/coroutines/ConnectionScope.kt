package io.rdma.coroutines

import io.rdma.types.RdmaException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.job

// Invariants
// - `children` is the parent of all coroutines that the handler launches. It is cancelled when the connection has ended
// and its messages have been received. It supervises, so a child that fails because the connection has ended stops
// neither the handler nor a child that still receives.
// - Any other failure of a child goes to `failed`. Both are children of the coroutine of the handler: a failure of
// `failed` cancels the handler and its children.

/**
 * Runs [handler] with the scope of this connection as its receiver. Returns when the handler and all coroutines that it
 * launched have ended. Throws the first failure of any of them.
 */
internal suspend fun RdmaConnection.runInScope(handler: suspend CoroutineScope.(RdmaConnection) -> Unit): Unit =
    coroutineScope {
        val connection = this@runInScope
        val failed = CompletableDeferred<Unit>(coroutineContext.job)
        val children = SupervisorJob(coroutineContext.job)
        val failures =
            CoroutineExceptionHandler { _, failure ->
                if (failure !is RdmaException || !connection.isClosed) failed.completeExceptionally(failure)
            }
        connection.onExhausted { children.cancel() }
        handler(CoroutineScope(coroutineContext + children + failures), connection)
        children.complete()
        children.join()
        failed.complete(Unit)
    }
