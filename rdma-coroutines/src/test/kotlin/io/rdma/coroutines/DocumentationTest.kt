package io.rdma.coroutines

import io.micrometer.core.instrument.kotlin.asContextElement
import io.micrometer.observation.Observation
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import io.rdma.connect.RdmaResources
import io.rdma.coroutines.micrometer.observed
import io.rdma.verbs.AsyncEvent
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.lang.foreign.MemorySegment
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

    @Test
    fun observations() =
        runBlocking {
            val observationRegistry = TestObservationRegistry.create()
            val hello = MemorySegment.ofArray("hello".toByteArray())
            RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }.use { server ->
                val serving = launch(Dispatchers.Default) { server.serve { awaitCancellation() } }
                RdmaClient.connect("127.0.0.1", server.port) { device = "soft0" }.use { connection ->
                    val request = Observation.start("request", observationRegistry)
                    request.openScope().use {
                        val observed = connection.observed(observationRegistry)
                        withContext(observationRegistry.asContextElement()) { observed.send(5) { it.copyFrom(hello) } }
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
}
