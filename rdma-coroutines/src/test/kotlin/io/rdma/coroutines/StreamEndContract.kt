package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import io.rdma.connect.RdmaResources
import io.rdma.engine.ConnectionClosedException
import io.rdma.testing.StreamingPeer
import io.rdma.testing.TestDevice
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import java.lang.foreign.ValueLayout
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of the end of a stream as its receiver sees it, for each way in which a sender ends and for each connect
 * method.
 */
abstract class StreamEndContract {
    /** Name of the device. */
    abstract val device: String

    /** An address of the device. */
    abstract val host: String

    private val items = 300

    private val few = 8 // fit into the receive buffers

    private val encoder =
        MessageEncoder<Int> { number, target ->
            target.set(ValueLayout.JAVA_INT, 0, number)
            Int.SIZE_BYTES
        }

    private fun testing(
        connector: ConnectMethod,
        test: suspend CoroutineScope.(RdmaResources) -> Unit,
    ) {
        TestDevice.assumeMethod(device, connector)
        val shared = RdmaResources.open(TestDevice.assumed(device))
        runBlocking { withTimeout(420.seconds) { test(shared) } }
        await().atMost(Duration.ofSeconds(420)).until { shared.endpoints().isEmpty() }
        shared.close()
        TestDevice.awaitClosed(shared.context())
    }

    private fun RdmaConfiguration.by(
        connector: ConnectMethod,
        shared: RdmaResources,
    ) {
        resources = shared
        options = StreamingPeer.options(connector)
    }

    /** Returns how the flow of a connection ended: null if it completed. */
    private suspend fun end(
        connection: RdmaConnection,
        each: (Int) -> Unit = {},
    ): Throwable? =
        try {
            var received = 0
            connection.incoming().collect { each(++received) }
            null
        } catch (e: ConnectionClosedException) {
            e
        }

    /** Serves a client with a handler. Returns how the client's flow ended. */
    private suspend fun CoroutineScope.endFor(
        connector: ConnectMethod,
        shared: RdmaResources,
        each: (RdmaServer, Int) -> Unit = { _, _ -> },
        handler: suspend (RdmaConnection) -> Unit,
    ): Throwable? {
        val server = RdmaServer.bind(host, 0) { by(connector, shared) }
        val serving = launch(Dispatchers.Default) { server.serve { handler(it) } }
        val connection = RdmaClient.connect(host, server.port) { by(connector, shared) }
        val end = end(connection) { each(server, it) }
        connection.closeAndAwait()
        server.closeAndAwait()
        serving.cancel()
        serving.join()
        return end
    }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `a client that is killed in the middle of its stream is lost`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val end = CompletableDeferred<Throwable?>()
            val enough = CompletableDeferred<Unit>()
            val server = RdmaServer.bind(host, 0) { by(connector, shared) }
            val serving =
                launch(Dispatchers.Default) {
                    server.serve { connection ->
                        end.complete(end(connection) { if (it == items) enough.complete(Unit) })
                    }
                }
            StreamingPeer.client(device, connector, server.address).use { doomed ->
                enough.await()
                doomed.kill()
                assertThat(end.await()).isInstanceOf(ConnectionClosedException::class.java)
            }
            server.closeAndAwait()
            serving.join()
        }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `a server that is killed in the middle of its stream is lost and tried again`(connector: ConnectMethod) =
        testing(connector) { shared ->
            StreamingPeer.server(device, connector, host).use { doomed ->
                val port = doomed.await("listening").toInt()
                val losses = mutableListOf<Throwable>()
                val end =
                    runCatching {
                        RdmaClient.reconnect(
                            host,
                            port,
                            { cause, _ -> losses.add(cause) && losses.size == 1 },
                            { by(connector, shared) },
                        ) { connection ->
                            var received = 0
                            connection.incoming().collect { if (++received == items) doomed.kill() }
                        }
                    }
                assertThat(end.isFailure).isTrue()
                assertThat(losses).hasSize(2) // the second attempt finds no server
                assertThat(losses.first()).isInstanceOf(ConnectionClosedException::class.java)
            }
        }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `a handler that returns ends its stream whole`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val end = endFor(connector, shared) { it.send((0 until items).asFlow(), encoder) }
            assertThat(end).isNull()
        }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `a handler that throws before its last item ends its stream with an error`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val end =
                endFor(connector, shared) {
                    it.send((0 until items - 1).asFlow(), encoder)
                    error("the last one is missing")
                }
            assertThat(end).hasMessageContaining("aborted the connection")
        }

    /**
     * Receives one message of a server that sends more and ends in an orderly way. Then ends the connection from the
     * client's side. Returns how the flow of the rest ended.
     */
    private suspend fun CoroutineScope.endAfterOneOf(
        connector: ConnectMethod,
        shared: RdmaResources,
        clientsEnd: (RdmaConnection) -> Unit,
    ): Throwable? {
        val server = RdmaServer.bind(host, 0) { by(connector, shared) }
        val serving = launch(Dispatchers.Default) { server.serve { it.send((0 until few).asFlow(), encoder) } }
        val connection = RdmaClient.connect(host, server.port) { by(connector, shared) }
        connection.receive {}
        await("farewell").atMost(Duration.ofSeconds(420)).until { connection.isClosed }
        clientsEnd(connection)
        connection.awaitClosed()
        var rest = 0
        val end = end(connection) { rest++ }
        assertThat(rest).isZero()
        server.closeAndAwait()
        serving.join()
        return end
    }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `an abort behind the farewell ends a stream that is not whole with its cause`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val cause = IllegalStateException("on purpose")
            assertThat(endAfterOneOf(connector, shared) { it.abort(cause) }).hasCause(cause)
        }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `an abort behind a close changes nothing`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val end =
                endAfterOneOf(connector, shared) {
                    it.close()
                    it.abort(IllegalStateException("on purpose"))
                }
            assertThat(end).isNull()
        }

    @ParameterizedTest
    @EnumSource(names = ["TCP", "RDMA_CM"])
    fun `a server that closes in the middle of its stream ends it with an error`(connector: ConnectMethod) =
        testing(connector) { shared ->
            val end =
                endFor(connector, shared, { server, received -> if (received == items) server.close() }) { connection ->
                    val numbers =
                        flow {
                            repeat(items) { emit(it) }
                            awaitCancellation()
                        }
                    connection.send(numbers, encoder)
                }
            assertThat(end).isInstanceOf(ConnectionClosedException::class.java)
        }
}
