package io.rdma.samples.factors

import io.rdma.coroutines.RdmaConnection
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration

// Invariant: a request is in `waiting` from before it is sent until its answer has arrived, its coroutine is cancelled,
// or the connection has ended.

/** A client with many concurrent requests over one connection. Answers arrive in any order. */
class FactorClient private constructor(
    private val connection: RdmaConnection,
) {
    private val waiting = ConcurrentHashMap<Int, CompletableDeferred<Answer>>()
    private val ids = AtomicInteger()

    @Volatile
    private var ended: Throwable? = null

    /**
     * Sends a request, which the server gives up after [time], and returns its answer. If the caller is cancelled, the
     * answer is dropped when it arrives.
     *
     * @throws io.rdma.engine.ConnectionClosedException if the connection ends before the answer
     */
    suspend fun ask(
        number: Long,
        time: Duration,
    ): Answer {
        val request = Request(ids.incrementAndGet(), time.inWholeMilliseconds.toInt(), number)
        val answer = CompletableDeferred<Answer>()
        waiting[request.id] = answer
        try {
            ended?.let { throw it }
            connection.send(Request.BYTES) { request.encode(it) }
            return answer.await()
        } finally {
            waiting -= request.id
        }
    }

    private suspend fun receive() {
        try {
            connection.incoming().collect { message ->
                val answer = checkNotNull(Answer.decode(message.segment())) { "the message is not a valid answer" }
                waiting[answer.id]?.complete(answer)
            }
            fail(io.rdma.engine.ConnectionClosedException("the service has closed the connection", null, true))
        } catch (e: CancellationException) {
            throw e
        } catch (e: Exception) {
            fail(e)
        }
    }

    private fun fail(error: Exception) {
        ended = error
        waiting.values.forEach { it.completeExceptionally(error) }
    }

    companion object {
        /** Runs [block] with a client on a [connection]. Meanwhile no other code may receive from that connection. */
        suspend fun <T> use(
            connection: RdmaConnection,
            block: suspend CoroutineScope.(FactorClient) -> T,
        ): T =
            coroutineScope {
                val client = FactorClient(connection)
                val receiving = launch { client.receive() }
                try {
                    coroutineScope { block(client) }
                } finally {
                    receiving.cancel()
                }
            }
    }
}
