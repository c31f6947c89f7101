package io.rdma.coroutines.call

import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.call.CallFrame
import io.rdma.internal.call.CallTable
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import kotlin.time.Duration
import kotlin.time.TimeSource

// Invariants
// - `sent` completes with the number of the call when the peer's device has the request, or fails if it never will.
// - A cancellation is sent behind the request, and only if no answer has come.

/** One call of a client. */
internal class OutgoingCall(
    private val connection: RdmaConnection,
    private val sending: CoroutineScope,
    private val table: CallTable<OutgoingCall>,
    private val name: String,
    private val request: ByteArray,
    private val deadline: Duration,
) : CallTable.Call {
    private val begun = TimeSource.Monotonic.markNow()
    private val sent = CompletableDeferred<Int>()
    private val answer = CompletableDeferred<ByteArray>()

    @Volatile
    private var isAnswered = false

    suspend fun await(): ByteArray = answer.await()

    override fun admitted(id: Int) {
        sending.launch {
            try {
                val left = (deadline - begun.elapsedNow()).inWholeMilliseconds.coerceIn(1, Int.MAX_VALUE.toLong())
                connection.send(CallFrame.request(id, left.toInt(), name), request)
                sent.complete(id)
            } catch (e: Throwable) {
                // Such as a request that is too long, or a full stack: nothing was sent, so no answer comes.
                table.answered(id)
                sent.completeExceptionally(e)
                answer.completeExceptionally(e)
            }
        }
    }

    override fun failed(failure: RuntimeException) {
        answer.completeExceptionally(failure)
    }

    fun answered(
        frame: CallFrame,
        message: MemorySegment,
    ) {
        isAnswered = true
        val body = message.asSlice(frame.body.toLong()).toArray(ValueLayout.JAVA_BYTE)
        val problem = frame.problem
        when {
            problem != null -> answer.completeExceptionally(problem)
            frame.kind == CallFrame.Kind.ANSWER -> answer.complete(body)
            else -> answer.completeExceptionally(frame.reported(name, body))
        }
    }

    /** Tells the server that the caller has gone, unless it has answered. */
    fun abandon() {
        if (isAnswered) return
        sending.launch {
            val id = runCatching { sent.await() }.getOrNull() ?: return@launch
            runCatching { connection.send(CallFrame.cancel(id), EMPTY) } // fails only with the connection
        }
    }

    private companion object {
        val EMPTY = ByteArray(0)
    }
}

/** Sends a frame with its body. */
internal suspend fun RdmaConnection.send(
    frame: CallFrame,
    body: ByteArray,
) {
    send(frame.body + body.size) { target ->
        frame.write(target)
        MemorySegment.copy(body, 0, target, ValueLayout.JAVA_BYTE, frame.body.toLong(), body.size)
    }
}
