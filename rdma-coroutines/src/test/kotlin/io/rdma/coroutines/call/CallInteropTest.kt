package io.rdma.coroutines.call

import io.rdma.call.RdmaCallException
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.reactive.MessageCodec
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono
import kotlin.time.Duration.Companion.minutes
import kotlin.time.toJavaDuration

private typealias ReactiveCallClient = io.rdma.reactive.call.RdmaCallClient
private typealias ReactiveCallServer = io.rdma.reactive.call.RdmaCallServer
private typealias ReactiveClient = io.rdma.reactive.RdmaClient
private typealias ReactiveServer = io.rdma.reactive.RdmaServer

/** Calls between a side with Reactor and one with coroutines: there is one wire format. */
@Timeout(180)
class CallInteropTest {
    private val json = MessageCodec.utf8() // the text of JSON

    @Test
    fun `a coroutine calls a handler of Reactor`() =
        runBlocking {
            val calls =
                ReactiveCallServer
                    .builder()
                    .handle("double", json, json) { Mono.just((2 * it.toInt()).toString()) }
                    .handle("refuse", json, json) { Mono.error(RdmaCallException.of("refused", it)) }
                    .build()
            val server =
                ReactiveServer
                    .create()
                    .device("soft0")
                    .host("127.0.0.1")
                    .port(0)
                    .handle(calls::serve)
                    .bind()
                    .awaitSingle()
            RdmaClient.connect("127.0.0.1", server.port()) { device = "soft0" }.use { connection ->
                connection.withCalls(Json) { client ->
                    assertThat(client.call<Int, Int>("double", 21, 1.minutes)).isEqualTo(42)
                    val error = runCatching { client.call<String, Int>("refuse", "no", 1.minutes) }.exceptionOrNull()
                    assertThat((error as RdmaCallException).type()).isEqualTo("refused")
                    assertThat(error).hasMessage("\"no\"")
                }
            }
            server.disposeNow()
        }

    @Test
    fun `a subscriber calls a handler of coroutines`() =
        runBlocking {
            val server = RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }
            val serving = launch(Dispatchers.Default) { server.serve { handlers().serve(it) } }
            val connection =
                ReactiveClient
                    .create()
                    .device("soft0")
                    .host("127.0.0.1")
                    .port(server.port)
                    .connect()
                    .awaitSingle()
            val client = ReactiveCallClient.create(connection)
            val patience = 1.minutes.toJavaDuration()
            assertThat(client.call("double", "21", json, json, patience).awaitSingle()).isEqualTo("42")
            val error =
                runCatching {
                    client
                        .call(
                            "refuse",
                            "1",
                            json,
                            json,
                            patience,
                        ).awaitSingleOrNull()
                }.exceptionOrNull()
            assertThat((error as RdmaCallException).type()).isEqualTo("refused")
            connection.disposeNow()
            server.closeAndAwait()
            serving.join()
        }

    private fun handlers() =
        RdmaCallServer(Json) {
            handle<Int, Int>("double") { 2 * it }
            handle<Int, Int>("refuse") { throw RdmaCallException.of("refused", "no") }
        }
}
