package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Capture of packets as they leave this host, by Wireshark's dumpcap. A test that needs it is skipped where dumpcap is
 * not installed or may not capture.
 */
public final class LiveCapture implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/dumpcap");
    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader said;
    private final Path file;

    private LiveCapture(Process process, BufferedReader said, Path file) {
        this.process = process;
        this.said = said;
        this.file = file;
    }

    /**
     * Starts a capture; its packets are those after the return.
     *
     * @param filter expression of {@code pcap-filter(7)}
     * @param packets number of packets after which it ends by itself
     */
    public static LiveCapture start(String networkInterface, String filter, int packets, Path file) throws IOException {
        Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "dumpcap is not installed");
        Process process = new ProcessBuilder(
                        PROGRAM.toString(),
                        "-i",
                        networkInterface,
                        "-f",
                        filter,
                        "-c",
                        Integer.toString(packets),
                        "-w",
                        file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader said = process.errorReader();
        StringBuilder all = new StringBuilder();
        for (String line; (line = said.readLine()) != null; ) {
            all.append(line).append('\n');
            if (line.startsWith("File:")) { // the last line before the packets
                return new LiveCapture(process, said, file);
            }
        }
        return Assumptions.abort("dumpcap cannot capture here: " + all);
    }

    /** Waits until all packets have come, and returns the file. */
    public Path await() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("all packets were captured")
                .isTrue();
        return file;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        said.close();
    }
}
