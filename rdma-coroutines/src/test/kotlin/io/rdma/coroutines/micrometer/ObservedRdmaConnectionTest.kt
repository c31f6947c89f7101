package io.rdma.coroutines.micrometer

import io.micrometer.core.instrument.kotlin.asContextElement
import io.micrometer.observation.Observation
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.reactive.micrometer.RdmaObservations
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Tests of the observations of a connection's operations, over soft0. */
@Timeout(120)
class ObservedRdmaConnectionTest {
    private val registry: TestObservationRegistry = TestObservationRegistry.create()

    private fun connected(test: suspend (RdmaConnection) -> Unit) =
        runBlocking {
            RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }.use { server ->
                val serving = launch { server.serve { awaitCancellation() } }
                RdmaClient.connect("127.0.0.1", server.port) { device = "soft0" }.use { test(it) }
                serving.cancelAndJoin()
            }
        }

    private fun assertObserved(operation: String) =
        TestObservationRegistryAssert
            .assertThat(registry)
            .hasObservationWithNameEqualTo(RdmaObservations.NAME)
            .that()
            .hasContextualNameEqualTo("rdma $operation")
            .hasLowCardinalityKeyValue(RdmaObservations.OPERATION, operation)
            .hasBeenStarted()
            .hasBeenStopped()

    @Test
    fun `an operation is a child of the coroutine's observation, whatever thread it is on`() =
        connected { connection ->
            val request = Observation.start("request", registry)
            val element = request.openScope().use { registry.asContextElement() }
            withContext(Dispatchers.Default + element) {
                delay(1) // the coroutine is resumed, perhaps on another thread
                connection.observed(registry).send((1..3).asFlow()) { _, _ -> 8 }
            }
            request.stop()
            assertObserved("send_stream").hasParentObservationEqualTo(request).doesNotHaveError()
        }

    @Test
    fun `a failed operation is an error of its observation`() =
        connected { connection ->
            runCatching { connection.observed(registry).fetchAndAdd(RemoteMemory(8, 8, 0x12345), 1) } // no such key
            assertObserved("fetch_and_add").hasError()
        }

    @Test
    fun `a cancelled operation ends without an error`() =
        connected { connection ->
            val observed = connection.observed(registry)
            val all = connection.engine.options().sendBuffers()
            val leases = List(all) { connection.acquire() } // all of them, so that the send waits
            val sending = launchAndLetWait { observed.send(8) { } }
            sending.cancelAndJoin()
            leases.forEach { it.close() }
            assertObserved("send").doesNotHaveError()
        }

    private suspend fun launchAndLetWait(block: suspend () -> Unit) =
        kotlinx.coroutines.CoroutineScope(kotlin.coroutines.coroutineContext).launch(Dispatchers.Unconfined) { block() }

    @Test
    fun `both front-ends use the same names`() {
        assertThat(ObservedRdmaConnection.NAME).isEqualTo(RdmaObservations.NAME)
        assertThat(ObservedRdmaConnection.OPERATION).isEqualTo(RdmaObservations.OPERATION)
    }
}
