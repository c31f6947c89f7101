package com.example.echo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.soft.SoftNetwork;
import io.rdma.spring.boot.test.RdmaTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@RdmaTest
class EchoTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Test
    void aMessageComesBack(@Autowired RdmaClient client, @Autowired SoftNetwork network) {
        assertNotEquals("soft0", network.device(), "the device is that of the test");
        RdmaConnection connection = client.connectNow(PATIENCE);
        connection.send("hello").block(PATIENCE);
        assertEquals("hello", connection.receive().asString().blockFirst(PATIENCE));
        connection.disposeNow(PATIENCE);
    }
}
