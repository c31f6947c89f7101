package io.rdma.coroutines.call

import io.rdma.call.RdmaCallException
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.serialization.decode
import io.rdma.coroutines.serialization.encode
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.call.CallErrors
import io.rdma.internal.call.CallFrame
import io.rdma.internal.call.CallTable
import io.rdma.types.RdmaException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.SerialFormat
import kotlinx.serialization.SerializationStrategy
import kotlinx.serialization.serializer
import kotlin.time.Duration

// Invariants
// - One coroutine receives, until the block of `withCalls` has ended.
// - The coroutines that send are not children of the block: a request or cancellation of which a part may be on its way
// is sent to its end. Each ends with the connection at the latest.

/**
 * Client of an [RdmaCallServer] on the peer. [withCalls] makes it. Any number of coroutines may call at a time, and
 * answers arrive in any order.
 */
public class RdmaCallClient internal constructor(
    private val connection: RdmaConnection,
    @PublishedApi internal val format: SerialFormat,
    maxInFlight: Int,
    private val sending: CoroutineScope,
) {
    private val table = CallTable<OutgoingCall>(maxInFlight)

    init {
        connection.engine
            .options()
            .abilities()
            .requireReliable("calls")
    }

    /**
     * Calls the handler [name] of the peer and returns its answer. Suspends also while as many calls as `maxInFlight`
     * have no answer.
     *
     * **Cancellation** is prompt. The server is told, and cancels the handler. The call counts as one in flight until
     * the server confirms that.
     *
     * @param deadline time for the whole call, more than zero, which the server gets, too: it cancels the handler when
     *     the time is over
     * @throws RdmaCallException if the call failed. Other calls and the connection go on.
     * @throws ConnectionClosedException if the connection ends before the answer
     * @throws IllegalArgumentException if the request is longer than [RdmaConnection.maxMessageSize]
     *
     * @sample io.rdma.coroutines.samples.calls
     */
    public suspend inline fun <reified Q, reified A> call(
        name: String,
        request: Q,
        deadline: Duration,
    ): A =
        call(
            name,
            request,
            deadline,
            format.serializersModule.serializer<Q>(),
            format.serializersModule.serializer<A>(),
        )

    /** Calls like [call] without serializers, for types that are not known to the compiler. */
    public suspend fun <Q, A> call(
        name: String,
        request: Q,
        deadline: Duration,
        requests: SerializationStrategy<Q>,
        answers: DeserializationStrategy<A>,
    ): A {
        require(deadline.isPositive()) { "deadline is $deadline: use more than zero" }
        CallFrame.checkedName(name)
        val call = OutgoingCall(connection, sending, table, name, format.encode(requests, request), deadline)
        try {
            val body =
                withTimeoutOrNull(deadline) {
                    table.submit(call)
                    call.await()
                } ?: throw CallErrors.deadlineExceeded(name)
            return decoded(name, body, answers)
        } finally {
            if (!table.withdraw(call)) call.abandon()
        }
    }

    private fun <A> decoded(
        name: String,
        body: ByteArray,
        answers: DeserializationStrategy<A>,
    ): A =
        try {
            format.decode(answers, body)
        } catch (e: RuntimeException) {
            throw CallErrors.undecodableAnswer(name, e)
        }

    internal suspend fun receive() {
        try {
            connection.incoming().collect { message ->
                val segment = message.segment()
                val frame = CallFrame.read(segment)
                table.answered(frame.id)?.answered(frame, segment)
            }
            end(ConnectionClosedException("the peer has closed the connection: connect again", null, true))
        } catch (e: RdmaException) {
            end(e)
        } catch (e: CancellationException) {
            end(IllegalStateException("the block of withCalls has ended: call inside of it"))
            throw e
        }
    }

    private fun end(failure: RuntimeException) = table.end(failure)
}

/**
 * Runs [block] with a client of an [RdmaCallServer] on the peer, and returns its result. Meanwhile no other code may
 * receive from this connection. When the block has ended, calls that other coroutines still make fail with
 * [IllegalStateException], and the server cancels them. The connection stays open.
 *
 * @param format format of the requests and answers, that of the server: a `BinaryFormat` or a `StringFormat`
 * @param maxInFlight number of calls without an answer, from 1, at most that of the server. Further calls wait.
 * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
 *
 * @sample io.rdma.coroutines.samples.calls
 */
public suspend fun <T> RdmaConnection.withCalls(
    format: SerialFormat,
    maxInFlight: Int = MAX_IN_FLIGHT,
    block: suspend CoroutineScope.(RdmaCallClient) -> T,
): T =
    coroutineScope {
        val sending = CoroutineScope(coroutineContext.minusKey(Job) + SupervisorJob())
        val client = RdmaCallClient(this@withCalls, format, maxInFlight, sending)
        val receiving = launch { client.receive() }
        try {
            coroutineScope { block(client) }
        } finally {
            receiving.cancel()
        }
    }

/** Default number of calls in flight. */
internal const val MAX_IN_FLIGHT: Int = 64
