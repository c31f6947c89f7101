@file:JvmName("RdmaEvents")

package io.rdma.coroutines

import io.rdma.connect.RdmaResources
import io.rdma.internal.engine.DeviceResources
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
 * Returns a flow of the asynchronous events of the device, `ibv_get_async_event(3)`, from the start of the collection
 * on. There may be any number of collectors. Each gets all events.
 *
 * The engine has acted on an event before it is emitted here (a connection that the event ends is already ending), so a
 * collector only observes. `docs/guide/events.md` describes what the engine does for each type. An event is a copy that
 * was acknowledged. The collector need not release it.
 *
 * Up to 256 events wait for a slow collector. When there are more, the oldest one is dropped; the first drop logs a
 * warning. The flow ends when the resources close, and throws [io.rdma.types.VerbsException] if events can no longer be
 * read. Cancellation ends this collection only. The collector runs in its own coroutine context, never on the thread
 * that reads the events.
 */
public fun RdmaResources.events(): Flow<AsyncEvent> =
    flow {
        val waiter = AtomicReference<CancellableContinuation<Unit>?>()
        DeviceResources.of(this@events).events { waiter.getAndSet(null)?.resume(Unit) }.use { buffer ->
            while (true) {
                currentCoroutineContext().ensureActive()
                val last = buffer.isEnded // before the poll: events that were reported before the end are emitted
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
