package io.rdma.samples.rping;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.Main;
import io.rdma.testing.JavaProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rping between two processes over the software device. The virtual machine runs it against that of rdma-core. */
@Timeout(300)
class RpingTest {
    private final String port;

    RpingTest() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = Integer.toString(socket.getLocalPort());
        }
    }

    private JavaProcess run(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("rping"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("-a", "127.0.0.1", "-p", port, "-d", "-v", "--device", "soft0"));
        return new JavaProcess(Main.class, all.toArray(String[]::new));
    }

    @Test
    void everyPingComesBack() throws Exception {
        try (JavaProcess server = run("server")) {
            server.await("listening on");
            try (JavaProcess client = run("client", "-C", "3", "-V")) {
                assertThat(client.ended(0).output())
                        .contains("ping data: rdma-ping-0: ABCDEFG", "ping data: rdma-ping-2: CDEFGHI");
            }
            assertThat(server.ended(0).output()).contains("server ping data: rdma-ping-2: CDEFGHI");
        }
    }

    @Test
    void aPersistentServerOutlivesClientsThatAreKilled() throws Exception {
        try (JavaProcess server = run("server", "-P")) {
            server.await("listening on");
            try (JavaProcess killed = run("client")) {
                killed.await("ping data: rdma-ping-5");
            }
            server.await("cma_event type DISCONNECTED");
            try (JavaProcess client = run("client", "-C", "3", "-V")) {
                client.ended(0);
            }
        }
    }
}
