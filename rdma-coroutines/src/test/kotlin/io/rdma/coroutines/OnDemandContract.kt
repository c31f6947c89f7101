package io.rdma.coroutines

import io.rdma.testing.TestDevice
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import java.lang.foreign.Arena

/** Messages whose memory is paged on demand. Skipped on a device that lacks that. */
abstract class OnDemandContract : PairContract() {
    private val opened = lazy { TestDevice.onDemand(device) }
    override val shared by opened

    @AfterEach
    fun close() {
        if (opened.isInitialized()) shared.close()
    }

    @Test
    fun `a stream of small and large messages arrives`() =
        connected { pair ->
            val texts = List(MANY) { "$it" + "-".repeat(if (it % 10 == 0) LARGE / 2 else it) }
            val arrived =
                async {
                    pair.peer
                        .incoming()
                        .texts()
                        .take(MANY)
                        .toList()
                }
            pair.client.send(texts.asFlow())
            assertThat(arrived.await()).isEqualTo(texts)
        }

    @Test
    fun `memory of the application is sent`() =
        connected { pair ->
            Arena.ofShared().use { arena ->
                val memory = arena.allocate(LARGE.toLong()).fill('x'.code.toByte())
                val arrived = async { pair.peer.receiveText() }
                pair.client.register(memory).use { pair.client.send(it) } // returns when the peer has read it
                assertThat(arrived.await()).isEqualTo("x".repeat(LARGE))
            }
        }

    private companion object {
        const val MANY = 100
    }
}
