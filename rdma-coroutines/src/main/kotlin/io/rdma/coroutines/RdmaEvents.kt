@file:JvmName("RdmaEvents")

package io.rdma.coroutines

import io.rdma.engine.RdmaResources
import io.rdma.verbs.AsyncEvent
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.resume

/**
 * What the device tells by itself, `ibv_get_async_event(3)`, from the start of the collection on. Any number may
 * collect, each gets all of it.
 *
 * The engine has acted on an event before it is emitted here (a connection that it ends is ending already), so a
 * collector only watches; see `docs/guide/events.md` for what it does on each type. An event is a copy, acknowledged,
 * and nothing has to be done with it.
 *
 * Up to [io.rdma.engine.EventBuffer.CAPACITY] events wait for a slow collector; of more the oldest is dropped, the
 * first time with a warning in the log. The flow ends when the resources close, and throws
 * [io.rdma.verbs.VerbsException] if the events can't be read any more. Cancellation ends this collection only. The
 * collector runs where its coroutine does, never on the thread that reads the events.
 */
public fun RdmaResources.events(): Flow<AsyncEvent> =
    flow {
        val waiter = AtomicReference<CancellableContinuation<Unit>?>()
        events { waiter.getAndSet(null)?.resume(Unit) }.use { buffer ->
            while (true) {
                currentCoroutineContext().ensureActive()
                val last = buffer.isEnded // before the poll: what was told before the end is emitted
                val event = buffer.poll()
                if (event != null) {
                    emit(event)
                } else if (last) {
                    buffer.failure()?.let { throw it }
                    return@flow
                } else {
                    suspendCancellableCoroutine { continuation ->
                        waiter.set(continuation)
                        continuation.invokeOnCancellation { waiter.compareAndSet(continuation, null) }
                        if (!buffer.isEmpty || buffer.isEnded) waiter.getAndSet(null)?.resume(Unit)
                    }
                }
            }
        }
    }
