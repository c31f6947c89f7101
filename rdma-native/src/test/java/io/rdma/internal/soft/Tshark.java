package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Wireshark's dissector of InfiniBand packets. A test that needs it is skipped where it is not installed. */
final class Tshark {
    private static final Path PROGRAM = Path.of("/usr/bin/tshark");

    private Tshark() {}

    /** Returns the opcode of each packet of a capture to or from a UDP port, and a mark if it is malformed. */
    static List<String> opcodes(Path capture, int port) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "tshark is not installed");
        Process process = new ProcessBuilder(
                        PROGRAM.toString(),
                        "-r",
                        capture.toString(),
                        "-d",
                        "udp.port==" + port + ",infiniband",
                        "--disable-protocol",
                        "rpcordma",
                        "-T",
                        "fields",
                        "-e",
                        "infiniband.bth.opcode",
                        "-e",
                        "_ws.malformed")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isZero();
        return out.lines().toList();
    }
}
