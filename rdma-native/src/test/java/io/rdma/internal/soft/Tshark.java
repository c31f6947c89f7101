package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Wireshark's dissector of InfiniBand packets. A test that needs it is skipped where it is not installed. */
public final class Tshark {
    private static final Path PROGRAM = Path.of("/usr/bin/tshark");

    private Tshark() {}

    /** Returns the opcode of each packet of a capture to or from a UDP port, and a mark if it is malformed. */
    static List<String> opcodes(Path capture, int port) throws IOException, InterruptedException {
        return fields(capture, port, "infiniband.bth.opcode", "_ws.malformed");
    }

    /** Returns fields of each packet of a capture to or from a UDP port, separated by tabs. */
    public static List<String> fields(Path capture, int port, String... fields)
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "tshark is not installed");
        List<String> command = new ArrayList<>(List.of(
                PROGRAM.toString(),
                "-r",
                capture.toString(),
                "-d",
                "udp.port==" + port + ",infiniband",
                "--disable-protocol",
                "rpcordma",
                "-T",
                "fields"));
        for (String field : fields) {
            command.add("-e");
            command.add(field);
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isZero();
        return out.lines().toList();
    }
}
