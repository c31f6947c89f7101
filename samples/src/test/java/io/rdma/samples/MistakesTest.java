package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestPorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Error messages of the samples for mistakes of users and of peers. They do not depend on the device. */
@Timeout(900) // a dozen programs one after the other
class MistakesTest {
    private static JavaProcess run(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--device", "soft0"));
        return new JavaProcess(Main.class, all.toArray(String[]::new));
    }

    @Test
    void aPingPongPeerOfAnotherKindIsNamed() throws Exception {
        String port = Integer.toString(TestPorts.free());
        try (JavaProcess serving = run("pingpong", "server", "--port", port)) {
            serving.await("  local address:");
            try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(port))) {
                socket.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: somewhere.example.org\r\n\r\n..........".getBytes());
                assertError(serving, "does not speak the handshake of ibv_rc_pingpong");
            }
        }
        try (JavaProcess serving = run("pingpong", "server", "--port", port)) {
            serving.await("  local address:");
            try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(port))) {
                socket.getOutputStream().write("0000:".getBytes());
                socket.shutdownOutput();
                assertError(serving, "hung up during the handshake");
            }
        }
    }

    private static void assertError(JavaProcess process, String message) throws InterruptedException {
        assertThat(process.ended(1).output())
                .contains("error: ")
                .contains(message)
                .doesNotContain("\tat ");
    }

    @Test
    void mistakesAreNamedWithTheirRemedy() throws Exception {
        String free = Integer.toString(TestPorts.free());
        assertError(new JavaProcess(Main.class, "echo", "server", "--device", "nosuch0"), "soft0");
        assertError(
                new JavaProcess(
                        Main.class, "pingpong", "server", "--device", "nosuch0", "--local-address", "127.0.0.1"),
                "--local-address is where soft0 listens");
        assertError(
                run("pingpong", "server", "--local-address", "192.0.2.1"), "The software device cannot listen there");
        assertError(run("echo", "client", "--host", "127.0.0.1", "--port", free), "Is the server running?");
        assertError(run("pingpong", "client", "127.0.0.1", "--port", free), "Is the server running?");
        assertError(run("rping", "client", "-a", "127.0.0.1", "-p", free), "Is the server running?");
        assertError(run("rping", "client", "-S", "5"), "-S must be from");
        assertError(run("bench", "calls"), "give --device one of libibverbs");
        assertError(run("pingpong", "client", "127.0.0.1", "--mtu", "1000"), "--mtu must be 256, 512");
        assertError(run("pingpong", "client", "127.0.0.1", "--sl", "16"), "--sl must be from 0 to 15");
        assertError(run("srq-pingpong", "client", "127.0.0.1", "--num-qp", "256"), "--num-qp must be from 1 to 255");
        assertError(run("srq-pingpong", "client", "127.0.0.1", "--rx-depth", "8"), "--rx-depth must be from 16");
        try (ServerSocket taken = new ServerSocket(0)) {
            String port = Integer.toString(taken.getLocalPort());
            assertError(run("counter", "server", "--port", port), "Choose another port");
            assertError(run("pingpong", "server", "--port", port), "Choose another --port");
        }
    }

    @Test
    void everyCommandHasHelp() throws Exception {
        for (String command : List.of("demo", "devinfo", "echo", "counter", "pingpong", "rping", "learn")) {
            assertThat(new JavaProcess(Main.class, command, "--help").ended(0).output())
                    .contains("Usage: rdma-samples " + command);
        }
    }
}
