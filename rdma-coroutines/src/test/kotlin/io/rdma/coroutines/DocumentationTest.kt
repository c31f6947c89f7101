package io.rdma.coroutines

import io.micrometer.core.instrument.kotlin.asContextElement
import io.micrometer.observation.Observation
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import io.rdma.buffer.MessageDecodingException
import io.rdma.connect.RdmaResources
import io.rdma.coroutines.micrometer.observed
import io.rdma.coroutines.samples.Reading
import io.rdma.coroutines.serialization.receive
import io.rdma.coroutines.serialization.send
import io.rdma.verbs.AsyncEvent
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.util.concurrent.CopyOnWriteArrayList

/** Tests of the Kotlin snippets in docs, which are quoted from this file: they compile and do what the pages say. */
@Timeout(180)
class DocumentationTest {
    private val logged = CopyOnWriteArrayList<AsyncEvent>()

    private fun log(event: AsyncEvent) {
        logged += event
    }

    @Test
    fun events() =
        runBlocking {
            val resources = RdmaResources.open(RdmaDevices.named("soft0"))
            val collecting =
                launch(start = CoroutineStart.UNDISPATCHED) {
                    resources.events().collect { event -> log(event) } // io.rdma.coroutines
                }
            resources.close()
            collecting.join()
            assertThat(collecting.isCancelled).`as`("completes when the resources close").isFalse()
            assertThat(logged).isEmpty()
        }

    private val lines = CopyOnWriteArrayList<String>()

    private fun println(line: String) {
        lines += line
    }

    /** Runs [client] with the port of a server that serves by [handler]. */
    private fun serving(
        handler: suspend CoroutineScope.(RdmaConnection) -> Unit,
        client: suspend CoroutineScope.(Int) -> Unit,
    ) = runBlocking {
        RdmaServer.bind(HOST, 0) { device = "soft0" }.use { server ->
            val serving = launch(Dispatchers.Default) { server.serve(handler) }
            client(server.port)
            serving.cancelAndJoin()
        }
    }

    private suspend fun helloServer(
        host: String,
        listening: CompletableDeferred<Int>,
    ) {
        RdmaServer.bind(host, 0) { device = "soft0" }.use { server ->
            listening.complete(server.port)
            server.serve { connection ->
                connection.incoming().texts().collect { name -> connection.send("hello, $name") }
            }
        }
    }

    private suspend fun helloClient(
        host: String,
        port: Int,
    ) {
        RdmaClient.connect(host, port) { device = "soft0" }.use { connection ->
            connection.send("Ada")
            println(connection.receiveText())
        }
    }

    @Test
    fun hello(): Unit =
        runBlocking {
            val port = CompletableDeferred<Int>()
            val serving = launch(Dispatchers.Default) { helloServer(HOST, port) }
            helloClient(HOST, port.await())
            serving.cancelAndJoin()
            assertThat(lines).containsExactly("hello, Ada")
        }

    @Test
    fun `the end of a connection`() =
        serving({ connection ->
            connection.send("one")
            connection.send("two")
        }) { port ->
            RdmaClient.connect(HOST, port) { device = "soft0" }.use { connection ->
                while (true) {
                    val line = connection.receiveTextOrNull() ?: break // the peer has closed the connection
                    println(line)
                }
            }
            assertThat(lines).containsExactly("one", "two")
        }

    @Test
    fun `a message that does not decode`() =
        serving({ connection ->
            connection.send("21.5")
            connection.send(Reading("roof", 21.5), Json)
            connection.awaitClosed()
        }) { port ->
            RdmaClient.connect(HOST, port) { device = "soft0" }.use { connection ->
                val reading =
                    try {
                        connection.receive<Reading>(Json)
                    } catch (e: MessageDecodingException) {
                        println("skipped: ${e.message}")
                        connection.receive<Reading>(Json) // the connection goes on
                    }
                assertThat(reading).isEqualTo(Reading("roof", 21.5))
                assertThat(lines).hasSize(1).allMatch { it.contains("message of 4 bytes is not a ") }
            }
        }

    @Test
    fun `coroutines of a connection`() {
        val news = MutableSharedFlow<String>(replay = 1)
        val stopped = CompletableDeferred<Unit>()
        serving({ connection ->
            launch { connection.send(news) } // endless: is cancelled when the connection has ended
            connection.incoming().texts().collect { text -> println(text) }
            println("goodbye") // the handler goes on, to store what it received
            stopped.complete(Unit)
        }) { port ->
            news.emit("rain")
            RdmaClient.connect(HOST, port) { device = "soft0" }.use { connection ->
                assertThat(connection.receiveText()).isEqualTo("rain")
                connection.send("noted")
                connection.closeAndAwait()
            }
            stopped.await()
            assertThat(lines).containsExactly("noted", "goodbye")
        }
    }

    @Test
    fun observations() =
        runBlocking {
            val observationRegistry = TestObservationRegistry.create()
            RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }.use { server ->
                val serving = launch(Dispatchers.Default) { server.serve { awaitCancellation() } }
                RdmaClient.connect("127.0.0.1", server.port) { device = "soft0" }.use { connection ->
                    val request = Observation.start("request", observationRegistry)
                    request.openScope().use {
                        val observed = connection.observed(observationRegistry)
                        withContext(observationRegistry.asContextElement()) { observed.send("hello") }
                    }
                    request.stop()
                }
                serving.cancelAndJoin()
            }
            TestObservationRegistryAssert
                .assertThat(observationRegistry)
                .hasObservationWithNameEqualTo("rdma.operation")
                .that()
                .hasContextualNameEqualTo("rdma send")
            Unit
        }

    private companion object {
        const val HOST = "127.0.0.1"
    }
}
