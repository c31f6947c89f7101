package io.rdma.samples.factors

import io.rdma.call.RdmaCallException
import io.rdma.call.RdmaCallException.Status
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.call.RdmaCallClient
import io.rdma.coroutines.call.withCalls
import io.rdma.engine.ConnectionClosedException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** Contract between the service and its clients, over soft0. */
@Timeout(300)
class FactorServiceTest {
    private val patience = 2.minutes

    private fun service(test: suspend CoroutineScope.(FactorService, Int) -> Unit) =
        runBlocking {
            withTimeout(patience) {
                val server = RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }
                val service = FactorService()
                val serving = launch { server.serve { service.calls.serve(it) } }
                try {
                    test(service, server.port)
                } finally {
                    service.calls.stop(patience)
                    server.closeAndAwait()
                    serving.join()
                }
            }
        }

    private suspend fun <T> client(
        port: Int,
        block: suspend CoroutineScope.(RdmaCallClient) -> T,
    ): T = RdmaClient.connect("127.0.0.1", port) { device = "soft0" }.use { it.withCalls(Json, block = block) }

    private suspend fun failure(call: suspend () -> Unit): Throwable? = runCatching { call() }.exceptionOrNull()

    @Test
    fun `every one of many requests of many clients gets its own answer`() =
        service { service, port ->
            val answers =
                (1..10)
                    .map { client ->
                        async {
                            client(port) { asking ->
                                (1L..50L)
                                    .map { it * client * 2 }
                                    .map { number -> async { number to asking.factors(number, patience) } }
                                    .awaitAll()
                            }
                        }
                    }.awaitAll()
                    .flatten()
            assertThat(answers).hasSize(500).allSatisfy { (number, factors) ->
                assertThat(factors.fold(1L, Long::times)).isEqualTo(number)
            }
            assertThat(service.answered).isEqualTo(500)
        }

    @Test
    fun `a request whose time is over is given up and others go on`() =
        service { service, port ->
            client(port) { asking ->
                val late = (1..3).map { async { failure { asking.factors(HARD, 20.milliseconds) } } }
                assertThat(asking.factors(12, patience)).containsExactly(2, 2, 3)
                assertThat(late.awaitAll().map { (it as RdmaCallException).status() })
                    .containsOnly(Status.DEADLINE_EXCEEDED)
                awaiting { assertThat(service.calls.inFlight).isZero() }
            }
        }

    @Test
    fun `a number without factors is refused`() =
        service { _, port ->
            client(port) { asking ->
                assertThat(failure { asking.factors(1, patience) })
                    .isInstanceOfSatisfying(RdmaCallException::class.java) {
                        assertThat(it.type()).isEqualTo(FactorService.REFUSED)
                        assertThat(it).hasMessage("1 has no prime factors")
                    }
            }
        }

    @Test
    fun `a caller that stops waiting ends the work and does not disturb the others`() =
        service { service, port ->
            client(port) { asking ->
                val asked = launch { asking.factors(HARD, patience) }
                awaiting { assertThat(service.calls.inFlight).isEqualTo(1) }
                asked.cancelAndJoin()
                assertThat(asking.factors(35, patience)).containsExactly(5, 7)
                awaiting { assertThat(service.calls.inFlight).isZero() }
                assertThat(service.answered).isEqualTo(1)
            }
        }

    @Test
    fun `a stop waits for the accepted requests, and accepts no more`() =
        service { service, port ->
            client(port) { asking ->
                val taken = launch { asking.factors(HARD, patience) }
                awaiting { assertThat(service.calls.inFlight).isEqualTo(1) }
                val stopping = async(start = CoroutineStart.UNDISPATCHED) { service.calls.stop(patience) }
                val refused = failure { asking.factors(2, patience) }
                assertThat((refused as RdmaCallException).status()).isEqualTo(Status.STOPPING)
                assertThat(stopping.isCompleted).isFalse()
                taken.cancelAndJoin() // so that the server has an answer for it
                assertThat(stopping.await()).isTrue()
                assertThat(failure { asking.factors(2, patience) }).isInstanceOf(ConnectionClosedException::class.java)
            }
        }

    @Test
    fun `work for a client that has gone is given up`() =
        service { service, port ->
            client(port) { asking ->
                val asked = launch { runCatching { asking.factors(HARD, patience) } }
                awaiting { assertThat(service.calls.inFlight).isEqualTo(1) }
                asked.cancel()
            }
            awaiting { assertThat(service.calls.inFlight).isZero() }
            assertThat(service.answered).isZero()
        }

    @Test
    fun `an invalid request is refused and its connection goes on`() =
        service { _, port ->
            client(port) { asking ->
                val error = failure { asking.call<String, List<Long>>("factors", "six", patience) }
                assertThat((error as RdmaCallException).status()).isEqualTo(Status.UNDECODABLE_REQUEST)
                assertThat(asking.factors(6, patience)).containsExactly(2, 3)
            }
        }

    /** Waits on another thread than that of the coroutines whose effect is awaited. */
    private suspend fun awaiting(condition: () -> Unit) =
        kotlinx.coroutines.withContext(kotlinx.coroutines.Dispatchers.IO) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted { condition() }
        }

    private companion object {
        /** A prime number, so that the trial division takes long. */
        const val HARD = 9_223_372_036_854_775_783L
    }
}
