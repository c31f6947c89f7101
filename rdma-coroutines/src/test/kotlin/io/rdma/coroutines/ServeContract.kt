package io.rdma.coroutines

import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaResources
import io.rdma.engine.ConnectionClosedException
import io.rdma.testing.TestDevice
import io.rdma.testing.TestPorts
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of a server, its configuration and the scope of its handlers, the same on every device. Each test ends with
 * the check that all resources can be closed.
 */
abstract class ServeContract {
    /** Name of the device. */
    abstract val device: String

    private fun testing(test: suspend CoroutineScope.(RdmaResources) -> Unit) {
        val shared = RdmaResources.open(TestDevice.assumed(device))
        runBlocking { withTimeout(120.seconds) { test(shared) } }
        await().atMost(Duration.ofSeconds(60)).until { shared.endpoints().isEmpty() }
        shared.close()
        TestDevice.awaitClosed(shared.context())
    }

    /** Runs [test] with a client of a server that serves by [handler]. */
    private fun serving(
        handler: suspend CoroutineScope.(RdmaConnection) -> Unit,
        test: suspend CoroutineScope.(RdmaServer, RdmaConnection) -> Unit,
    ) = testing { shared ->
        val server = RdmaServer.bind(TestDevice.host(device), 0) { resources = shared }
        val serving = launch(Dispatchers.Default) { server.serve(handler) }
        val client = RdmaClient.connect(TestDevice.host(device), server.port) { resources = shared }
        test(server, client)
        client.closeAndAwait()
        server.closeAndAwait()
        serving.join()
    }

    /** A coroutine that runs until it is cancelled, and tells both. */
    private class Child {
        val started = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()

        suspend fun run() {
            try {
                started.complete(Unit)
                awaitCancellation()
            } finally {
                cancelled.complete(Unit)
            }
        }
    }

    /** The kernel keeps a port until the last thread has left accept(2), perhaps after its socket was closed. */
    @Test
    fun `a port can be bound again once the server is closed`() =
        testing { shared ->
            val port = TestPorts.free()
            repeat(REBINDS) {
                val server = RdmaServer.bind(TestDevice.host(device), port) { resources = shared }
                val serving = launch(Dispatchers.Default) { server.serve { } }
                server.closeAndAwait()
                serving.join()
            }
        }

    @ParameterizedTest(name = "the peer aborts: {0}")
    @ValueSource(booleans = [true, false])
    fun `coroutines of a handler are cancelled when the peer goes`(aborts: Boolean) {
        val child = Child()
        val goingOn = CompletableDeferred<Unit>()
        val returned = CompletableDeferred<Unit>()
        serving({
            launch { child.run() }
            goingOn.await()
            returned.complete(Unit)
        }) { _, client ->
            child.started.await()
            if (aborts) client.abort(IllegalStateException("gone")) else client.close()
            child.cancelled.await()
            assertThat(returned.isCompleted).isFalse()
            goingOn.complete(Unit)
            returned.await() // the handler itself was not cancelled
        }
    }

    @Test
    fun `a coroutine that receives gets all messages although the peer has gone`() {
        val texts = List(10) { "text $it" }
        val child = Child()
        val goingOn = CompletableDeferred<Unit>()
        val received = CompletableDeferred<List<String>>()
        serving({ connection ->
            launch { child.run() }
            launch {
                val got = mutableListOf<String>()
                connection.incoming().texts().collect {
                    goingOn.await()
                    got += it
                    yield() // is cancelled here if it is
                    if (got.size == texts.size) received.complete(got)
                }
            }
            connection.awaitClosed()
            assertThat(child.cancelled.isCompleted).isFalse()
            goingOn.complete(Unit)
        }) { _, client ->
            texts.forEach { client.send(it) }
            client.closeAndAwait()
            assertThat(received.await()).isEqualTo(texts)
            child.cancelled.await()
        }
    }

    @ParameterizedTest(name = "the peer has gone: {0}")
    @ValueSource(booleans = [true, false])
    fun `messages that nobody receives keep no coroutine alive when the server closes`(gone: Boolean) {
        val child = Child()
        val ended = CompletableDeferred<Unit>()
        serving({ connection ->
            launch { child.run() }
            connection.awaitClosed()
            ended.complete(Unit)
        }) { server, client ->
            repeat(3) { client.send("is not received") }
            child.started.await()
            if (gone) {
                client.closeAndAwait()
                ended.await()
                assertThat(child.cancelled.isCompleted).isFalse()
            }
            server.close()
            child.cancelled.await()
        }
    }

    @Test
    fun `a handler that fails with its connection lets the others receive`() {
        val ended = CompletableDeferred<Throwable?>()
        val received = CompletableDeferred<List<String>>()
        serving({ connection ->
            launch {
                connection.awaitClosed()
                ended.complete(runCatching { connection.send("too late") }.exceptionOrNull())
                connection.send("too late, too")
            }
            ended.await()
            yield()
            received.complete(connection.incoming().texts().toList())
        }) { _, client ->
            client.send("in time")
            client.closeAndAwait()
            assertThat(ended.await()).isInstanceOf(ConnectionClosedException::class.java)
            assertThat(received.await()).containsExactly("in time")
        }
    }

    @Test
    fun `a coroutine that fails ends its own connection only`() {
        val siblings = List(2) { Child() }
        val count = AtomicInteger()
        testing { shared ->
            val server = RdmaServer.bind(TestDevice.host(device), 0) { resources = shared }
            val serving =
                launch(Dispatchers.Default) {
                    server.serve { connection ->
                        if (count.getAndIncrement() == 0) {
                            connection.incoming().texts().collect { connection.send(it) }
                        } else {
                            launch { siblings[0].run() }
                            launch {
                                siblings.forEach { it.started.await() }
                                error("a mistake of a coroutine, on purpose")
                            }
                            siblings[1].run()
                        }
                    }
                }
            val good = RdmaClient.connect(TestDevice.host(device), server.port) { resources = shared }
            good.send("before")
            assertThat(good.receiveText()).isEqualTo("before")
            val bad = RdmaClient.connect(TestDevice.host(device), server.port) { resources = shared }
            val failure = runCatching { bad.receiveTextOrNull() }.exceptionOrNull()
            assertThat(failure).isInstanceOf(ConnectionClosedException::class.java).hasMessageContaining("aborted")
            siblings.forEach { it.cancelled.await() }
            good.send("after")
            assertThat(good.receiveText()).isEqualTo("after")
            listOf(good, bad).forEach { it.closeAndAwait() }
            server.closeAndAwait()
            serving.join()
        }
    }

    @Test
    fun `a connection stays open until the coroutines of its handler have ended`() {
        val goingOn = CompletableDeferred<Unit>()
        serving({ connection ->
            launch {
                goingOn.await()
                connection.send("from a coroutine")
            }
        }) { _, client ->
            goingOn.complete(Unit)
            assertThat(client.receiveTextOrNull()).isEqualTo("from a coroutine")
            assertThat(client.receiveTextOrNull()).isNull()
        }
    }

    @Test
    fun `coroutines of handlers are cancelled with the server`() =
        testing { shared ->
            val child = Child()
            val server = RdmaServer.bind(TestDevice.host(device), 0) { resources = shared }
            val serving = launch(Dispatchers.Default) { server.serve { launch { child.run() } } }
            val client = RdmaClient.connect(TestDevice.host(device), server.port) { resources = shared }
            child.started.await()
            serving.cancelAndJoin()
            assertThat(child.cancelled.isCompleted).isTrue()
            client.awaitClosed()
            server.closeAndAwait()
        }

    @Test
    fun `settings out of their range are refused with their names`() =
        testing { shared ->
            val refused =
                mapOf<String, RdmaConfiguration.() -> Unit>(
                    "receiveBuffers must be from 1" to { receiveBuffers(0, 4096) },
                    "receiveBufferSize must be from 32" to { receiveBuffers(16, 1) },
                    "sendBuffers must be from 1" to { sendBuffers(-1, 4096) },
                    "maxMessageSize must be from 1 to 1073741824" to { maxMessageSize = Int.MAX_VALUE },
                    "handshakeTimeout must be positive" to { handshakeTimeout = 0.seconds },
                    "at least one connection" to { limits { connections = 0 } },
                    "maxSendWr must be at least 1" to { queuePair { maxSendWr = 0 } },
                )
            for ((message, configure) in refused) {
                val bad: RdmaConfiguration.() -> Unit = {
                    resources = shared
                    configure()
                }
                val failures =
                    listOf(
                        runCatching { RdmaServer.bind(TestDevice.host(device), 0, bad) },
                        runCatching { RdmaClient.connect(TestDevice.host(device), 1, bad) },
                        runCatching { RdmaDatagramSocket.bind(TestDevice.host(device), 0, bad) },
                    ).map { it.exceptionOrNull() }
                assertThat(failures).allSatisfy {
                    assertThat(it).isInstanceOf(IllegalArgumentException::class.java).hasMessageContaining(message)
                }
            }
            val port =
                runCatching {
                    RdmaServer.bind(
                        TestDevice.host(device),
                        70_000,
                    ) { resources = shared }
                }.exceptionOrNull()
            assertThat(port).isInstanceOf(IllegalArgumentException::class.java).hasMessageContaining("70000")
        }

    @Test
    fun `a bind that is cancelled at any moment leaves nothing`() =
        testing { shared ->
            val port = TestPorts.free()
            List(40) { i ->
                launch(Dispatchers.Default) {
                    val binding =
                        launch {
                            runCatching {
                                RdmaServer
                                    .bind(TestDevice.host(device), port) {
                                        resources =
                                            shared
                                    }.close()
                            }
                        }
                    delay((i * 20).microseconds)
                    binding.cancelAndJoin()
                }
            }.joinAll()
            // The port is free again when the last server has closed.
            while (true) {
                val bound = runCatching { RdmaServer.bind(TestDevice.host(device), port) { resources = shared } }
                if (bound.onSuccess { it.closeAndAwait() }.isSuccess) break
                assertThat(bound.exceptionOrNull()).isInstanceOf(RdmaConnectException::class.java)
                yield()
            }
        }

    private companion object {
        const val REBINDS = 10
    }
}
