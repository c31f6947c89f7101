package io.rdma.samples.ucmatose;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.Main;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ucmatose between two processes over the software device. The virtual machine runs it against that of rdma-core. */
@Timeout(300)
class UcmatoseTest {
    @Test
    void everyMessageArrivesOnEachConnection() throws Exception {
        String port = freePort();
        try (JavaProcess server = run("-b", "127.0.0.1", "-p", port)) {
            server.await("listening on");
            try (JavaProcess client = run("-s", "127.0.0.1", "-p", port)) {
                assertThat(client.ended(0).output()).contains("test complete: 60 messages received");
            }
            assertThat(server.ended(0).output()).contains("test complete: 60 messages received");
        }
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        }
    }

    private static JavaProcess run(String role, String address, String p, String port) throws IOException {
        return new JavaProcess(
                Main.class,
                "ucmatose",
                role,
                address,
                p,
                port,
                "-c",
                "3",
                "-C",
                "20",
                "-S",
                "10000",
                "--device",
                "soft0");
    }
}
