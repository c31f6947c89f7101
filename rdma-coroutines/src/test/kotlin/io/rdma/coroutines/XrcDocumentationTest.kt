package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Snippets of docs/guide/xrc.md. */
class XrcDocumentationTest {
    @Test
    fun `a sender reaches a receiver`() =
        runBlocking<Unit> {
            val orders =
                RdmaXrcReceiver.bind {
                    device = "soft0"
                    receiveBuffers(64, 4096)
                }
            val server =
                RdmaXrcServer.bind("localhost", 0) {
                    device = "soft0"
                    receiveBuffers(64, 4096)
                }

            val sender = RdmaXrcSender.connect("localhost", server.port) { device = "soft0" }
            sender.send(8, { it.setString(0, "order 1") }, orders.number)

            assertThat(orders.receive(ReceivedMessage::toByteArray)).startsWith(*"order 1".toByteArray())
            sender.closeAndAwait()
            server.closeAndAwait()
            orders.closeAndAwait()
        }
}
