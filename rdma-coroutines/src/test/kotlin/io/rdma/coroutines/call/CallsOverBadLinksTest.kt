package io.rdma.coroutines.call

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.soft.LinkFaults
import io.rdma.soft.SoftNetwork
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import kotlin.time.Duration.Companion.minutes

/** Test of calls whose acknowledgements are lost: the next request then overtakes the report of a delivered answer. */
@Timeout(600)
class CallsOverBadLinksTest {
    @Test
    fun `a client that keeps to the server's bound is never refused`() =
        runBlocking {
            val calls = RdmaCallServer(Json, maxInFlight = 1) { handle<Int, Int>("double") { 2 * it } }
            SoftNetwork.create().use { ofServer ->
                SoftNetwork.create().use { ofClient ->
                    val server = RdmaServer.bind("127.0.0.1", 0) { device = ofServer.device() }
                    val serving = launch(Dispatchers.Default) { server.serve { calls.serve(it) } }
                    val connection = RdmaClient.connect("127.0.0.1", server.port) { device = ofClient.device() }
                    connection.withCalls(Json, maxInFlight = 1) { client ->
                        ofClient.setFaults(LinkFaults.NONE.withLoss(0.1).withSeed(3))
                        var batches = MOST_BATCHES
                        while (batches-- > 0 && repetitions(ofServer) == 0L) {
                            for (number in 1..CALLS) {
                                assertThat(client.call<Int, Int>("double", number, 1.minutes)).isEqualTo(2 * number)
                            }
                        }
                    }
                    assertThat(repetitions(ofServer)).describedAs("an acknowledgement was lost").isPositive()
                    ofClient.heal()
                    connection.closeAndAwait()
                    server.closeAndAwait()
                    serving.join()
                }
            }
        }

    private companion object {
        const val CALLS = 150

        /** An acknowledgement and the packet behind it are lost by chance. */
        const val MOST_BATCHES = 20

        fun repetitions(network: SoftNetwork): Long = network.counters().getValue("completer_retry_err")
    }
}
