package io.rdma.samples.service

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
// - Of one connection: one coroutine receives, one sends, and each request has one of its own; all are children of the
// connection's, so none outlives it, and it ends when they have.
// - A request that was taken is answered, by `stop` too, as long as its time has not come.

/**
 * A service that finds prime factors. A client has at most [atOnce] requests at work: while it has, no more of its
 * messages are taken, so its device has no receive to send into, so its `send` suspends.
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

    /** Requests that were answered so far. */
    fun answered(): Long = answered.get()

    /** Requests that are at work now. */
    fun working(): Int = working.get()

    /** Serves until it is stopped. */
    suspend fun serve() {
        server.serve(::serve)
        drained.complete(Unit)
    }

    /** Takes no more requests, answers those that it has, and closes. Requests have at most [patience]. */
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
                        whole.cancel("the client has gone") // nobody wants the answers
                    }
                val answers = Channel<Answer>(atOnce)
                val sending = launch { connection.send(answers.consumeAsFlow(), Answer::encode) }
                answerAll(connection, answers)
                answers.close()
                sending.join() // the peer's device has them
                watching.cancel()
            }
        } finally {
            connections -= job
        }
    }

    /** Returns when no more requests are taken and all that were have their answers. */
    private suspend fun answerAll(
        connection: RdmaConnection,
        answers: SendChannel<Answer>,
    ) = coroutineScope {
        val work = this
        val taking = launch { take(connection, work, answers) }
        receiving += taking
        taking.invokeOnCompletion { receiving -= taking }
        if (stopping.isCompleted) taking.cancel() // stop() may have missed it
    }

    private suspend fun take(
        connection: RdmaConnection,
        work: CoroutineScope,
        answers: SendChannel<Answer>,
    ) {
        val room = Semaphore(atOnce)
        room.acquire() // before a request is taken: who has to wait for it has taken none that a stop would lose
        connection.incoming().collect { message ->
            val request = requireNotNull(Request.decode(message.segment())) { "that is no request" }
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

    /** By trial; notices when its time has come. */
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
