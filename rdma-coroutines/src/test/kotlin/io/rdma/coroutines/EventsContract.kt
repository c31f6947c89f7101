package io.rdma.coroutines

import io.rdma.connect.RdmaResources
import io.rdma.testing.LimitEvents
import io.rdma.testing.TestDevice
import io.rdma.types.AsyncEventType
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.seconds

/** Contract of a device's events as a Flow, the same on every device. */
abstract class EventsContract {
    abstract val device: String

    @Test
    fun `collectors get each event and complete when the resources close`() {
        val resources = RdmaResources.open(TestDevice.assumed(device))
        runBlocking {
            withTimeout(120.seconds) {
                val limit = LimitEvents(resources.context(), resources.domain())
                val seen = Channel<AsyncEventType>(Channel.UNLIMITED)
                // Undispatched, so that they have subscribed before the first event is raised.
                val all =
                    launch(Dispatchers.Unconfined, CoroutineStart.UNDISPATCHED) {
                        resources.events().collect { seen.send(it.type()) }
                        seen.close()
                    }
                val two =
                    List(2) {
                        async(start = CoroutineStart.UNDISPATCHED) {
                            resources
                                .events()
                                .map { it.concerns(limit.shared()) }
                                .take(2)
                                .toList()
                        }
                    }
                val cancelled =
                    launch(start = CoroutineStart.UNDISPATCHED) { resources.events().collect { error("cancelled") } }
                cancelled.cancelAndJoin()
                limit.raise()
                limit.raise()
                assertThat(two.awaitAll()).allMatch { it == listOf(true, true) }
                limit.close()
                resources.close()
                all.join()
                assertThat(seen.receive()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED)
                assertThat(seen.receive()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED)
                assertThat(seen.receiveCatching().isClosed).isTrue()
                assertThat(runCatching { resources.events().first() }.exceptionOrNull())
                    .isInstanceOf(NoSuchElementException::class.java)
            }
        }
    }
}
