package io.rdma.samples.service

import io.rdma.coroutines.RdmaConnection
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration

// Invariant: a request is in `waiting` from before it is sent until its answer came, its coroutine was cancelled, or
// the connection ended.

/** Many requests at once over one connection; answers come in any order. */
class FactorClient private constructor(
    private val connection: RdmaConnection,
) {
    private val waiting = ConcurrentHashMap<Int, CompletableDeferred<Answer>>()
    private val ids = AtomicInteger()

    @Volatile
    private var ended: Throwable? = null

    /**
     * The answer to a request that the server gives up after [time]. Cancellable: whoever does not wait any more is
     * forgotten, and the answer dropped when it comes.
     *
     * @throws io.rdma.engine.ConnectionClosedException if the connection ends before
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
                val answer = checkNotNull(Answer.decode(message.segment())) { "that is no answer" }
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
        /** Runs [block] with a client on a [connection], which nobody else may receive from meanwhile. */
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
