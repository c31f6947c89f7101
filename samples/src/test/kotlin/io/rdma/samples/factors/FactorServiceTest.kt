package io.rdma.samples.factors

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.engine.ConnectionClosedException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** Contract between the service and its clients, over soft0. */
@Timeout(300)
class FactorServiceTest {
    private val patience = 2.minutes

    private fun service(test: suspend CoroutineScope.(FactorServer, Int) -> Unit) =
        runBlocking {
            withTimeout(patience) {
                val server = RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }
                val service = FactorServer(server, atOnce = 8)
                val serving = launch { service.serve() }
                try {
                    test(service, server.port)
                } finally {
                    service.stop(patience)
                    serving.join()
                }
            }
        }

    private suspend fun <T> client(
        port: Int,
        block: suspend CoroutineScope.(FactorClient) -> T,
    ): T = RdmaClient.connect("127.0.0.1", port) { device = "soft0" }.use { FactorClient.use(it, block) }

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
                                    .map { number -> async { number to asking.ask(number, patience) } }
                                    .awaitAll()
                            }
                        }
                    }.awaitAll()
                    .flatten()
            assertThat(answers).hasSize(500).allSatisfy { (number, answer) ->
                assertThat(answer.factors.fold(1L, Long::times)).isEqualTo(number)
            }
            assertThat(service.answered()).isEqualTo(500)
        }

    @Test
    fun `a request whose time is over is given up and others go on`() =
        service { _, port ->
            client(port) { asking ->
                val late = (1..3).map { async { asking.ask(HARD, 20.milliseconds) } }
                assertThat(asking.ask(12, patience).factors).containsExactly(2, 2, 3)
                assertThat(late.awaitAll().map { it.outcome }).containsOnly(Outcome.OUT_OF_TIME)
                assertThat(asking.ask(1, patience).outcome).isEqualTo(Outcome.REFUSED)
            }
        }

    @Test
    fun `a caller that stops waiting does not disturb the others`() =
        service { _, port ->
            client(port) { asking ->
                assertThat(withTimeoutOrNull(20.milliseconds) { asking.ask(HARD, 1.seconds) }).isNull()
                assertThat(asking.ask(35, patience).factors).containsExactly(5, 7)
            }
        }

    @Test
    fun `a stop answers the accepted requests, and accepts no more`() =
        service { service, port ->
            client(port) { asking ->
                val taken = async { asking.ask(HARD, 5.seconds) } // long enough for the test to see it in progress
                awaiting { assertThat(service.working()).isEqualTo(1) }
                service.stop(patience)
                assertThat(taken.await().outcome).isEqualTo(Outcome.OUT_OF_TIME)
                assertThat(runCatching { asking.ask(2, patience) }.exceptionOrNull())
                    .isInstanceOf(ConnectionClosedException::class.java)
            }
        }

    @Test
    fun `work for a client that has gone is given up`() =
        service { service, port ->
            client(port) { asking ->
                val asked = launch { runCatching { asking.ask(HARD, patience) } }
                awaiting { assertThat(service.working()).isEqualTo(1) }
                asked.cancel()
            }
            awaiting { assertThat(service.working()).isZero() }
            assertThat(service.answered()).isZero()
        }

    @Test
    fun `an invalid request ends only its own connection`() =
        service { _, port ->
            client(port) { good ->
                RdmaClient.connect("127.0.0.1", port) { device = "soft0" }.use { bad ->
                    bad.send(3) { }
                    bad.awaitClosed()
                }
                assertThat(good.ask(6, patience).factors).containsExactly(2, 3)
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
