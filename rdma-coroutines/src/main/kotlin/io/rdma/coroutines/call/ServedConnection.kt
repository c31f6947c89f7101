package io.rdma.coroutines.call

import io.rdma.buffer.ReceivedMessage
import io.rdma.call.RdmaCallException
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.call.ActiveCalls
import io.rdma.internal.call.CallErrors
import io.rdma.internal.call.CallFrame
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withTimeoutOrNull
import java.lang.foreign.ValueLayout
import kotlin.time.Duration.Companion.milliseconds

// Invariants
// - One coroutine receives, until the connection has ended or the calls have stopped. It never waits for a handler, so
// a cancellation always gets through. It waits while it refuses a request, which slows down a client that sends too
// many.
// - Each accepted request has a coroutine for its handler and one for its answer. Both are children of `run`. Each
// request gets exactly one answer or error, also if it was cancelled.

/** Requests of one connection, while a server processes them. */
internal class ServedConnection(
    private val connection: RdmaConnection,
    private val handlers: Map<String, suspend (ByteArray) -> ByteArray>,
    maxInFlight: Int,
) {
    private val idle = CompletableDeferred<Unit>()
    private val ended = CompletableDeferred<Unit>()
    private val active: ActiveCalls<Deferred<ByteArray>>

    init {
        val options = connection.engine.options()
        options.abilities().requireReliable("calls")
        active = ActiveCalls(maxInFlight, options.capacity().maxSendWr()) { idle.complete(Unit) }
    }

    val inFlight: Int get() = active.all().size

    suspend fun run() {
        try {
            supervisorScope {
                val requests = this // not the scope of `receiving`, which a handler that fails would cancel
                val receiving = async { connection.incoming().collect { requests.take(it) } }
                idle.invokeOnCompletion { receiving.cancel() }
                try {
                    receiving.await()
                } catch (e: CancellationException) {
                    ensureActive() // else the calls have stopped
                } finally {
                    coroutineContext.cancelChildren() // nobody receives an answer any more
                }
            }
        } finally {
            ended.complete(Unit)
        }
    }

    fun stop(): Unit = active.stop()

    suspend fun awaitEnd(): Unit = ended.await()

    fun cancel() {
        idle.complete(Unit)
    }

    private suspend fun CoroutineScope.take(message: ReceivedMessage) {
        val segment = message.segment()
        val frame = CallFrame.read(segment)
        when (frame.kind) {
            CallFrame.Kind.REQUEST -> {
                val body = segment.asSlice(frame.body.toLong()).toArray(ValueLayout.JAVA_BYTE)
                message.close() // an answer may wait for room, the buffer does not wait
                accept(frame, body)
            }

            CallFrame.Kind.CANCEL -> {
                active.get(frame.id)?.cancel()
            }

            else -> {
                frame.problem?.let { refuse(frame.id, it) }
            }
        }
    }

    private suspend fun CoroutineScope.accept(
        frame: CallFrame,
        body: ByteArray,
    ) {
        val handler = handlers[frame.name] ?: return refuse(frame.id, CallErrors.unknownCall(frame.name))
        val work = async(start = CoroutineStart.LAZY) { process(frame, body, handler) }
        try {
            active.begin(frame.id, work)
        } catch (e: RdmaCallException) {
            work.cancel()
            return refuse(frame.id, e)
        }
        launch {
            try {
                answer(frame, work)
            } finally {
                active.end(frame.id)
            }
        }
    }

    private suspend fun process(
        frame: CallFrame,
        body: ByteArray,
        handler: suspend (ByteArray) -> ByteArray,
    ): ByteArray =
        try {
            withTimeoutOrNull(frame.value.milliseconds) { handler(body) }
        } catch (e: CancellationException) {
            currentCoroutineContext().ensureActive()
            throw IllegalStateException("the handler was cancelled by a job of its own", e)
        } ?: throw CallErrors.deadlineExceeded(frame.name)

    private suspend fun answer(
        frame: CallFrame,
        work: Deferred<ByteArray>,
    ) {
        try {
            val answer = work.await()
            active.answering(frame.id)
            connection.send(CallFrame.answer(frame.id), answer)
        } catch (e: CancellationException) {
            currentCoroutineContext().ensureActive()
            active.answering(frame.id)
            refuse(frame.id, CallErrors.cancelled(frame.name))
        } catch (e: Throwable) {
            // of the handler, such as the error of TODO(), or because the answer is too long
            if (connection.isClosed) return
            active.answering(frame.id)
            val error = CallErrors.failed(frame.name, e)
            if (error.cause != null) {
                LOG.log(System.Logger.Level.WARNING, "call \"${frame.name}\" of $connection failed: ${error.cause}")
                LOG.log(System.Logger.Level.DEBUG, "details", e)
            }
            refuse(frame.id, error)
        }
    }

    private suspend fun refuse(
        id: Int,
        error: RdmaCallException,
    ) {
        val frame = CallFrame.error(id, error)
        try {
            connection.send(frame, CallFrame.text(error, connection.maxMessageSize - frame.body))
        } catch (e: CancellationException) {
            throw e
        } catch (e: RuntimeException) {
            // The connection is ending, and so does the receiver, which reports it. Or the client takes only messages
            // that are shorter than the name of the error.
            LOG.log(System.Logger.Level.DEBUG, "no answer to call $id of $connection", e)
        }
    }

    private companion object {
        val LOG: System.Logger = System.getLogger(RdmaCallServer::class.java.name)
    }
}
