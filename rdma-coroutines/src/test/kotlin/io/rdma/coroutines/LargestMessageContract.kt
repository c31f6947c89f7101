package io.rdma.coroutines

import io.rdma.testing.FreeMemory
import io.rdma.testing.TestDevice
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import kotlin.time.Duration.Companion.minutes

/**
 * Largest message that a connection allows, of a coroutine. It fills twice its length of memory, and is skipped on a
 * machine that has less.
 */
abstract class LargestMessageContract {
    abstract val device: String

    private fun fill(memory: MemorySegment) {
        for (i in 0L until memory.byteSize() step PAGE) memory.set(ValueLayout.JAVA_INT, i, i.toInt())
    }

    private fun filled(memory: MemorySegment) =
        (0L until memory.byteSize() step PAGE).count { memory.get(ValueLayout.JAVA_INT, it) == it.toInt() }

    private fun RdmaConfiguration.largest() {
        device = this@LargestMessageContract.device
        maxMessageSize = LENGTH
    }

    @Test
    fun `the largest message arrives whole`() {
        FreeMemory.assume(2L * LENGTH)
        TestDevice.assumed(device)
        runBlocking {
            withTimeout(5.minutes) {
                val host = TestDevice.host(device)
                val server = RdmaServer.bind(host, 0) { largest() }
                val serving =
                    launch {
                        server.serve { connection ->
                            val pages = connection.receive { filled(it.segment()) }
                            connection.send(pages.toString())
                            connection.awaitClosed()
                        }
                    }
                val client = RdmaClient.connect(host, server.port) { largest() }
                val answer = async { client.receiveText() }
                client.send(LENGTH) { fill(it) }
                assertThat(answer.await()).isEqualTo((LENGTH / PAGE).toString())
                val refusal = assertThrows<IllegalArgumentException> { client.send(LENGTH + 1) {} }
                assertThat(refusal).hasMessageContaining("maxMessageSize")
                client.closeAndAwait()
                server.closeAndAwait()
                serving.join()
            }
        }
    }

    private companion object {
        const val LENGTH = 1 shl 28 // the engine's test sends 1 GiB
        const val PAGE = 4096L
    }
}
