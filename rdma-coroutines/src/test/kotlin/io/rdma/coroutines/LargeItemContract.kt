package io.rdma.coroutines

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Large items of a flow, whose memory is allocated and registered for them. */
abstract class LargeItemContract : PairContract() {
    @Test
    fun `a collector that runs on the loop leaves it for a large item`() =
        connected { pair ->
            val received =
                async {
                    pair.peer
                        .incoming()
                        .decoded { it.length() }
                        .take(2)
                        .toList()
                }
            val loop = pair.client.engine.loop()
            val encodedOnLoop = mutableListOf<kotlin.Pair<Long, Boolean>>()
            val sending = CompletableDeferred<Job>()
            loop.execute {
                val job =
                    launch(Dispatchers.Unconfined, CoroutineStart.UNDISPATCHED) {
                        pair.client.send(flowOf(MESSAGE, LARGE)) { length, target ->
                            encodedOnLoop += target.byteSize() to loop.isLoopThread
                            if (length <= target.byteSize()) length else -length
                        }
                    }
                sending.complete(job)
            }
            sending.await().join()
            assertThat(received.await()).containsExactly(MESSAGE, LARGE)
            assertThat(encodedOnLoop).containsExactly(
                2L * MESSAGE to true,
                2L * MESSAGE to true, // too small for the large item
                LARGE.toLong() to false,
            )
        }
}
