package io.rdma.samples.factors

import io.rdma.call.RdmaCallException
import io.rdma.coroutines.call.RdmaCallClient
import io.rdma.coroutines.call.RdmaCallServer
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.withContext
import kotlinx.serialization.json.Json
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration

/** A service that finds prime factors. */
class FactorService {
    private val found = AtomicInteger()

    /** Number of requests with an answer that is not an error. */
    val answered: Int get() = found.get()

    /** The handler, for all connections. */
    val calls =
        RdmaCallServer(Json) {
            handle<Long, List<Long>>("factors") { number ->
                if (number < 2) throw RdmaCallException.of(REFUSED, "$number has no prime factors")
                factors(number).also { found.incrementAndGet() }
            }
        }

    /** Finds the factors by trial division. Ends early when the call is cancelled or its time is over. */
    private suspend fun factors(number: Long): List<Long> =
        withContext(Dispatchers.Default) {
            val found = mutableListOf<Long>()
            var rest = number
            var divisor = 2L
            while (divisor <= rest / divisor) {
                if (divisor and 0xffff == 0xffffL) ensureActive()
                if (rest % divisor == 0L) {
                    found += divisor
                    rest /= divisor
                } else {
                    divisor += if (divisor == 2L) 1 else 2
                }
            }
            if (rest > 1) found + rest else found
        }

    companion object {
        /** Type of the error for a number without factors. */
        const val REFUSED = "factors.refused"
    }
}

/** Asks the service for the factors of [number]. */
suspend fun RdmaCallClient.factors(
    number: Long,
    time: Duration,
): List<Long> = call("factors", number, time)
