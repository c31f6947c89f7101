package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Snippet of docs/guide/datagrams.md. */
class DatagramDocumentationTest {
    @Test
    fun `each datagram is answered`() =
        runBlocking<Unit> {
            RdmaDatagramSocket.bind("127.0.0.1", 0) { device = "soft0" }.use { here ->
                val answering =
                    launch {
                        here.incoming().collect { question ->
                            here.send(5, { it.setString(0, "pong") }, question.source())
                        }
                    }

                RdmaDatagramSocket.bind("127.0.0.1", 0) { device = "soft0" }.use { client ->
                    client.send(5, { it.setString(0, "ping") }, client.resolve("127.0.0.1", here.localAddress.port))
                    assertThat(client.receive(ReceivedMessage::toByteArray)).startsWith(*"pong".toByteArray())
                }
                answering.cancel()
            }
        }
}
