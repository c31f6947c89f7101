package io.rdma.samples.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.Main;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Contract of the teaching programs, with tiny sizes. The tests are the same for every device. */
@Timeout(900)
abstract class LearnContract {
    @TempDir
    private Path folder;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void needsTheDevice() {
        TestDevice.assumed(device());
    }

    private JavaProcess learn(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("learn"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--device", device()));
        return JavaProcess.inResident(Main.class, all.toArray(String[]::new));
    }

    private String measured(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--count", "3", "--output", folder.toString()));
        return learn(all.toArray(String[]::new)).ended(0).output();
    }

    /** Returns the number of columns for this device. The output names each one that is skipped, with the reason. */
    private static int columns(int all, String output) {
        return all
                - (int) output.lines()
                        .filter(line -> line.contains(" is skipped: "))
                        .count();
    }

    @Test
    void objectsAreShownAndThoseInUseAreNotClosed() throws Exception {
        assertThat(learn("objects").ended(0).output())
                .contains("EBUSY")
                .contains("all closed, last made first")
                .doesNotContain("was not refused");
    }

    @Test
    void aQueuePairComesUpStepByStep() throws Exception {
        TestDevice.assumedInfiniBand(device());
        assertThat(learn("bring-up").ended(0).output())
                .contains("RESET -> INIT", "INIT -> RTR", "RTR -> RTS", "RTS -> ERR")
                .contains("stays in INIT")
                .contains("b has received: hello from a")
                .contains("ended with WR_FLUSH_ERR");
    }

    @Test
    void twoProcessesConnectOverTcp() throws Exception {
        TestDevice.assumedInfiniBand(device());
        try (JavaProcess server = learn("exchange", "server")) {
            String port = server.await("listening on port");
            try (JavaProcess client = learn("exchange", "client", "127.0.0.1", "--port", port)) {
                assertThat(client.ended(0).output()).contains("read me: I am in the server's memory");
            }
            assertThat(server.ended(0).output()).contains("in this memory is now: the client has written this");
        }
    }

    @Test
    void everyMemberOfAGroupReceivesTheDatagram() throws Exception {
        TestDevice.assumedInfiniBand(device());
        assertThat(learn("multicast").ended(0).output())
                .contains("hello, group")
                .contains("3 of 3 members heard it");
    }

    @Test
    void measurementsArePrintedAndDrawn() throws Exception {
        TestDevice.assumedInfiniBand(device());
        assertThat(measured("operations"))
                .containsPattern("(?m)^ +8( +[0-9.]+){9}$")
                .containsPattern("(?m)^ +65536( +([0-9.]+|NaN)){9}$")
                .contains("learn-operations.png");
        assertThat(measured("write-sizes", "--max-size", "8192"))
                .containsPattern("(?m)^ +8192 +[0-9.]+$")
                .containsPattern("(?m)^ +8192( +[0-9.]+){3}$")
                .contains("learn-write-bandwidth.png");
        String registration = measured("registration", "--max-size", "16384");
        assertThat(registration)
                .containsPattern("(?m)^ +16384( +[0-9.]+){" + columns(6, registration) + "}$")
                .contains("register each time", "window", "on demand", "learn-registration.png");
        String scaling = measured("scaling", "--max-peers", "4", "--workers", "2");
        int kinds = columns(4, scaling);
        assertThat(scaling)
                .containsPattern("(?m)^ +4 +8.00 +8.00" + (kinds == 4 ? " +4.00" : "") + " +2.00$") // queue pairs
                .containsPattern("(?m)^ +4( +128.00){" + (kinds - 1) + "} +133.00$") // KiB; datagrams have a header
                .containsPattern("(?m)^ +4( +[0-9.]+){" + kinds + "}$")
                .contains("learn-scaling-messages.png", "learn-scaling-queue-pairs.png");
        assertThat(measured("interfaces"))
                .containsPattern("(?m)^ +64( +[0-9.]+){2}$")
                .contains("learn-interfaces-polling.png");
        assertThat(folder.toFile().list()).hasSizeGreaterThanOrEqualTo(10);
    }
}
