package io.rdma.samples.factors

import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.SendChannel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.consumeAsFlow
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlin.coroutines.coroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

// Invariants
// - Each connection has one coroutine that receives, one that sends, and one for each request. All are children of the
// connection's coroutine: none outlives it, and it ends only when all of them have ended.
// - Each accepted request gets an answer, which is OUT_OF_TIME if its time runs out. `stop` waits for these answers,
// for at most its patience.

/**
 * A service that finds prime factors. It works on at most [atOnce] requests of a client at the same time. While that
 * limit is reached it takes no more messages from that client, so the receive buffers of the connection fill. When they
 * are full the client has no credits left, and its `send` suspends.
 */
class FactorServer(
    private val server: RdmaServer,
    private val atOnce: Int = 64,
) {
    private val connections: MutableSet<Job> = ConcurrentHashMap.newKeySet()
    private val receiving: MutableSet<Job> = ConcurrentHashMap.newKeySet()
    private val stopping = CompletableDeferred<Unit>()
    private val drained = CompletableDeferred<Unit>()
    private val answered = AtomicLong()
    private val working = AtomicInteger()

    /** Returns the number of requests that were processed so far, without the refused ones. */
    fun answered(): Long = answered.get()

    /** Returns the number of requests that are being processed. */
    fun working(): Int = working.get()

    /** Serves until [stop] is called. */
    suspend fun serve() {
        server.serve(::serve)
        drained.complete(Unit)
    }

    /**
     * Stops accepting requests, answers the accepted ones, and closes the server. Waits at most [patience] for
     * the requests.
     */
    suspend fun stop(patience: Duration) {
        stopping.complete(Unit)
        receiving.toList().forEach { it.cancel() }
        withTimeoutOrNull(patience) { connections.toList().joinAll() }
        server.closeAndAwait()
        drained.await()
    }

    private suspend fun serve(connection: RdmaConnection) {
        val job = coroutineContext[Job]!!
        connections += job
        try {
            coroutineScope {
                val whole = this
                val watching =
                    launch {
                        connection.awaitClosed()
                        whole.cancel("the client has disconnected") // the answers have no receiver any more
                    }
                val answers = Channel<Answer>(atOnce)
                val sending = launch { connection.send(answers.consumeAsFlow(), Answer::encode) }
                answerAll(connection, answers)
                answers.close()
                sending.join() // returns when the peer's device has the answers
                watching.cancel()
            }
        } finally {
            connections -= job
        }
    }

    /** Answers requests. Returns when no more requests are accepted and all accepted ones have their answers. */
    private suspend fun answerAll(
        connection: RdmaConnection,
        answers: SendChannel<Answer>,
    ) = coroutineScope {
        val work = this
        val taking = launch { take(connection, work, answers) }
        receiving += taking
        taking.invokeOnCompletion { receiving -= taking }
        if (stopping.isCompleted) taking.cancel() // stop() may have run before `receiving` contained it
    }

    private suspend fun take(
        connection: RdmaConnection,
        work: CoroutineScope,
        answers: SendChannel<Answer>,
    ) {
        val room = Semaphore(atOnce)
        room.acquire() // before a message is taken, so that no message is lost if stop() cancels this wait
        connection.incoming().collect { message ->
            val request = requireNotNull(Request.decode(message.segment())) { "the message is not a valid request" }
            working.incrementAndGet()
            work
                .launch(Dispatchers.Default) { answers.send(answer(request)) }
                .invokeOnCompletion {
                    working.decrementAndGet()
                    room.release()
                }
            room.acquire()
        }
    }

    private suspend fun answer(request: Request): Answer {
        if (request.number < 2) return Answer(request.id, Outcome.REFUSED)
        val factors = withTimeoutOrNull(request.milliseconds.milliseconds) { factors(request.number) }
        answered.incrementAndGet()
        return when (factors) {
            null -> Answer(request.id, Outcome.OUT_OF_TIME)
            else -> Answer(request.id, Outcome.DONE, factors)
        }
    }

    /** Finds the factors by trial division. Ends early when its time is over. */
    private suspend fun factors(number: Long): List<Long> {
        val context = coroutineContext
        val found = mutableListOf<Long>()
        var rest = number
        var divisor = 2L
        while (divisor <= rest / divisor) {
            if (divisor and 0xffff == 0xffffL) context.ensureActive()
            while (rest % divisor == 0L) {
                found += divisor
                rest /= divisor
            }
            divisor += if (divisor == 2L) 1 else 2
        }
        if (rest > 1) found += rest
        return found
    }
}
