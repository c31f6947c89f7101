package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import io.rdma.types.WorkRequestOpcode
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assumptions.assumeThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.time.Duration

/** Contract of messages, writes and reads with several buffers, the same on every device. */
abstract class GatherContract : PairContract() {
    private class Buffers(
        val header: RegisteredBuffer,
        val body: RegisteredBuffer,
    ) {
        val all = listOf(header, body)

        val isBorrowed get() = all.any { it.segment().isReadOnly }
    }

    private fun withBuffers(
        opcode: WorkRequestOpcode,
        test: suspend CoroutineScope.(Pair, Buffers) -> Unit,
    ) = connected { pair ->
        assumeThat(
            pair.client.engine
                .options()
                .maxBuffers(opcode),
        ).isGreaterThanOrEqualTo(2)
        val region = pair.client.allocate(LARGE.toLong(), AccessFlag.LOCAL_WRITE)
        val buffers = Buffers(pair.client.acquire(), RegisteredBuffer.of(region, 0, LARGE))
        buffers.header.segment().fill(1)
        buffers.body.segment().fill(2)
        buffers.header.limit(5)
        test(pair, buffers)
        await().atMost(Duration.ofSeconds(60)).until { !buffers.isBorrowed }
        buffers.all.forEach { it.close() }
    }

    @Test
    fun `a header and a body are one message`() =
        withBuffers(WorkRequestOpcode.SEND) { pair, buffers ->
            for (length in listOf(0, 100, MESSAGE - 5, MESSAGE, LARGE - 5)) {
                buffers.body.limit(length)
                val sending = launch { pair.client.send(buffers.all) }
                val message = pair.peer.receiveBytes()
                sending.join()
                assertThat(message).hasSize(5 + length).startsWith(1, 1, 1, 1, 1)
                assertThat(message.last()).isEqualTo(if (length == 0) 1.toByte() else 2.toByte())
            }
        }

    @Test
    fun `a write gathers and a read scatters`() =
        withBuffers(WorkRequestOpcode.RDMA_READ) { pair, buffers ->
            val memory = pair.peer.allocate(50, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ)
            buffers.body.limit(45)
            pair.client.write(buffers.all, memory.remote())
            buffers.all.forEach { it.segment().fill(0) }
            pair.client.read(memory.remote(), listOf(buffers.body.limit(6), buffers.header.limit(44)))
            assertThat(
                buffers.body
                    .segment()
                    .asSlice(0, 7)
                    .toArray(JAVA_BYTE),
            ).containsExactly(1, 1, 1, 1, 1, 2, 0)
            assertThat(
                buffers.header
                    .segment()
                    .asSlice(0, 44)
                    .toArray(JAVA_BYTE),
            ).containsOnly(2)
        }

    @Test
    fun `too many buffers are refused with the remedy`() =
        withBuffers(WorkRequestOpcode.SEND) { pair, buffers ->
            val many = List(100) { buffers.header }
            val remote = RemoteMemory(8, LARGE.toLong(), 1)
            val operations: List<suspend () -> Unit> =
                listOf(
                    { pair.client.send(many) },
                    { pair.client.write(many, remote) },
                    { pair.client.read(remote, many) },
                )
            for (operation in operations) {
                assertThat(runCatching { operation() }.exceptionOrNull())
                    .isInstanceOf(IllegalArgumentException::class.java)
                    .hasMessageContaining("withMaxSendSge")
            }
        }

    @Test
    fun `a coroutine that is cancelled while it waits gives all buffers back`() =
        withBuffers(WorkRequestOpcode.SEND) { pair, buffers ->
            repeat(RECEIVES) { pair.client.send("fills the ring") }
            buffers.body.limit(3)
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { pair.client.send(buffers.all) }
            assertThat(buffers.all).allMatch { it.segment().isReadOnly }
            waiting.cancelAndJoin()
            assertThat(buffers.isBorrowed).isFalse()
            repeat(RECEIVES) { pair.peer.receiveText() }
            pair.client.send("last")
            assertThat(pair.peer.receiveText()).isEqualTo("last")
        }

    private companion object {
        const val RECEIVES = 16
    }
}
