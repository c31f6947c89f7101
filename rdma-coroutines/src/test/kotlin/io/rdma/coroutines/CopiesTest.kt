package io.rdma.coroutines

import com.sun.management.ThreadMXBean
import io.rdma.types.AccessFlag
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer

/**
 * Test of the copies of a message: one into registered memory, and one out of it. It counts the bytes that the calling
 * thread allocates on the heap, because a further copy would be an array as long as the message.
 */
@Timeout(180)
class CopiesTest {
    private val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean

    /** Returns the least allocation of several calls of [action], so that the loading of classes does not count. */
    private suspend fun allocated(
        before: suspend () -> Unit,
        action: suspend () -> Unit,
        after: suspend () -> Unit,
    ): Long {
        var least = Long.MAX_VALUE
        repeat(ROUNDS) {
            before()
            val begin = threads.currentThreadAllocatedBytes
            action()
            least = minOf(least, threads.currentThreadAllocatedBytes - begin)
            after()
        }
        return least
    }

    private fun RdmaConfiguration.large() {
        device = "soft0"
        receiveBuffers(16, SIZE)
        sendBuffers(8, SIZE)
    }

    /** Runs a test whose coroutines all run on one thread. */
    private fun connected(test: suspend (client: RdmaConnection, peer: RdmaConnection) -> Unit) =
        runBlocking {
            val accepted = CompletableDeferred<RdmaConnection>()
            RdmaServer.bind(0) { large() }.use { server ->
                val serving =
                    launch {
                        server.serve {
                            accepted.complete(it)
                            awaitCancellation()
                        }
                    }
                RdmaClient.connect("localhost", server.port) { large() }.use { test(it, accepted.await()) }
                serving.cancel()
            }
        }

    @Test
    fun `a send makes no copy on the heap`() =
        connected { client, peer ->
            val text = "x".repeat(SIZE)
            val bytes = text.toByteArray()
            val direct = ByteBuffer.allocateDirect(SIZE).put(bytes).flip()
            val registered = client.allocate(SIZE.toLong(), AccessFlag.LOCAL_WRITE).segment().asByteBuffer()
            val forms =
                mapOf<String, suspend () -> Unit>(
                    "text" to { client.send(text) },
                    "bytes" to { client.send(bytes) },
                    "heap buffer" to { client.send(ByteBuffer.wrap(bytes)) },
                    "direct buffer" to { client.send(direct) },
                    "registered buffer" to { client.send(registered) },
                    "flow of texts" to { client.send(flowOf(text)) },
                    "flow of bytes" to { client.send(flowOf(bytes)) },
                )
            for ((form, send) in forms) {
                val allocated = allocated({}, send) { peer.receive { assertThat(it.length()).isEqualTo(SIZE) } }
                assertThat(allocated).describedAs(form).isLessThan(SIZE / 4L)
            }
        }

    @Test
    fun `a receive makes one copy, and a text is made of that`() =
        connected { client, peer ->
            val bytes = ByteArray(SIZE) { 'x'.code.toByte() }
            val send: suspend () -> Unit = { client.send(bytes) }
            assertThat(allocated(send, { peer.receive { it.length() } }) {}).isLessThan(SIZE / 4L)
            assertThat(allocated(send, { peer.receiveBytes() }) {}).isBetween(SIZE.toLong(), SIZE * 5L / 4)
            assertThat(allocated(send, { peer.receiveText() }) {}).isBetween(2L * SIZE, SIZE * 9L / 4)
        }

    private companion object {
        const val SIZE = 64 * 1024
        const val ROUNDS = 20
    }
}
