package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.support.Language;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract of the samples on the command line. Server and client are processes of their own. The tests are the same for
 * every device.
 */
@Timeout(900)
abstract class SamplesContract {
    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    String address() {
        return "127.0.0.1";
    }

    @BeforeEach
    void needsTheDevice() {
        TestDevice.assumed(device());
    }

    private String host() {
        return TestDevice.host(device());
    }

    private JavaProcess run(String... arguments) throws IOException {
        return JavaProcess.inResident(Main.class, onDevice(arguments));
    }

    private String[] onDevice(String... arguments) {
        return with(new String[] {"--device", device()}, arguments);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest(name = "{0} server, {1} client")
    @CsvSource({"java, kotlin", "kotlin, java"})
    void echoesAcrossLanguages(String server, String client) throws Exception {
        try (JavaProcess serving = run("echo", "server", "--port", "0", "--host", host(), "--language", server)) {
            String port = serving.await("listening on port");
            try (JavaProcess calling =
                    run("echo", "client", "--host", host(), "--port", port, "--count", "500", "--language", client)) {
                assertThat(calling.ended(0).output()).contains("500 of 500 messages came back unchanged");
            }
        }
    }

    @ParameterizedTest(name = "{0} server, {1} client")
    @CsvSource({"java, kotlin", "kotlin, java"})
    void datagramsAreAnsweredAcrossLanguages(String server, String client) throws Exception {
        TestDevice.assumedInfiniBand(device());
        String here = address();
        try (JavaProcess serving = run("datagrams", "server", "--port", "0", "--host", here, "--language", server)) {
            String port = serving.await("listening on port");
            try (JavaProcess calling = run(with(
                    new String[] {"--local", here, "--host", here, "--port", port, "--language", client},
                    "datagrams",
                    "client",
                    "--count",
                    "50"))) {
                assertThat(calling.ended(0).output()).contains("50 of 50 datagrams were answered");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Language.class)
    void allClientsDrawFromOneCounter(Language server) throws Exception {
        TestDevice.assumeAtomics(device());
        try (JavaProcess serving =
                run("counter", "server", "--port", "0", "--host", host(), "--language", server.name())) {
            String port = serving.await("listening on port");
            List<JavaProcess> clients = new ArrayList<>();
            Set<String> last = new HashSet<>();
            try {
                for (Language language : Language.values()) {
                    clients.add(run(
                            "counter",
                            "client",
                            "--host",
                            host(),
                            "--port",
                            port,
                            "--count",
                            "250",
                            "--language",
                            language.name()));
                }
                for (JavaProcess client : clients) {
                    last.add(client.ended(0).output().strip().replaceAll(".* ", ""));
                }
            } finally {
                clients.forEach(JavaProcess::close);
            }
            // The clients' last tickets differ, and one of them is the last of all 500. Tickets begin at 0.
            assertThat(last).hasSize(2).contains("499");
        }
    }

    @Test
    void aClientCopiesTheFileOfAServer(@TempDir Path directory) throws Exception {
        byte[] bytes = new byte[300_001];
        new Random(4).nextBytes(bytes);
        Path file = Files.write(directory.resolve("file"), bytes);
        Path copy = directory.resolve("copy");
        try (JavaProcess serving = run("files", "server", "--port", "0", "--host", host(), file.toString())) {
            String port = serving.await("listening on port");
            try (JavaProcess copying = run("files", "client", "--host", host(), "--port", port, copy.toString())) {
                assertThat(copying.ended(0).output()).contains("copied 300001 bytes");
            }
        }
        assertThat(copy).hasBinaryContent(bytes);
    }

    @Test
    void theServiceAnswersAllClientsAndEndsWhenItIsAskedTo() throws Exception {
        // It is asked to end in order, so it has a process of its own.
        String[] server = onDevice("factors", "server", "--port", "0", "--host", host());
        try (JavaProcess serving = new JavaProcess(Main.class, server)) {
            String port = serving.await("listening on port");
            try (JavaProcess calling =
                    run("factors", "client", "--host", host(), "--port", port, "--clients", "5", "--requests", "20")) {
                assertThat(calling.ended(0).output()).contains("100 of 100 answers are right");
            }
            serving.terminate();
            assertThat(serving.ended(128 + 15).output()).contains("answered 100 requests");
        }
    }

    @ParameterizedTest
    @CsvSource({"pingpong, 10000", "uc-pingpong, 5000", "ud-pingpong, 1024", "srq-pingpong, 10000"})
    void pingPongGoesBetweenTwoProcesses(String command, int size) throws Exception {
        TestDevice.assumedInfiniBand(device());
        String[] options = {"--size", Integer.toString(size), "--iters", "20", "--chk", "--sl", "3", "--mtu", "1024"};
        String port = Integer.toString(freePort());
        try (JavaProcess serving = run(with(options, command, "server", "--port", port, "--events"))) {
            serving.await("  local address:");
            try (JavaProcess calling = run(with(options, command, "client", host(), "--port", port))) {
                assertThat(calling.ended(0).output()).contains("20 iters in").contains(40L * size + " bytes in");
            }
            assertThat(serving.ended(0).output()).contains("20 iters in").doesNotContain("invalid data");
        }
    }

    private static String[] with(String[] options, String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }

    @Test
    void theDemoVerifiesEveryByte() throws Exception {
        List<String> operations = new ArrayList<>(List.of("send stream", "write 4 KiB", "read 4 KiB"));
        if (TestDevice.hasAtomics(device())) {
            operations.addAll(List.of("fetch and add", "compare and swap"));
        }
        try (JavaProcess demo = run("demo", "--scale", "0.002", "--host", host())) {
            String output = demo.ended(0).output();
            assertThat(output).contains("every byte verified").doesNotContain("MISMATCH");
            for (String operation : operations) {
                for (Language language : Language.values()) {
                    assertThat(output).containsPattern("(?m)^" + operation + " +" + language + " +[1-9]");
                }
            }
        }
    }

    @Test
    void devinfoShowsTheDevice() throws Exception {
        assertThat(run("devinfo", "-v").ended(0).output())
                .contains("hca_id: " + device())
                .containsPattern("(?m)^\tmax_qp_wr: +[1-9]")
                .containsPattern("(?m)^\t\t\tstate: +PORT_ACTIVE \\(4\\)")
                .containsPattern("(?m)^\t\t\tGID\\[[0-9]+]:");
    }
}
