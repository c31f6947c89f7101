package com.example.echo

import io.rdma.coroutines.spring.boot.RdmaCoroutineClient
import io.rdma.soft.SoftNetwork
import io.rdma.spring.boot.test.RdmaTest
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import kotlin.time.Duration.Companion.minutes

@RdmaTest
class EchoTest {
    @Test
    fun `a message comes back`(
        @Autowired client: RdmaCoroutineClient,
        @Autowired network: SoftNetwork,
    ) = runBlocking {
        assertNotEquals("soft0", network.device(), "the device is that of the test")
        withTimeout(1.minutes) {
            client.connect().use { connection ->
                connection.send("hello")
                assertEquals("hello", connection.receiveText())
            }
        }
    }
}
