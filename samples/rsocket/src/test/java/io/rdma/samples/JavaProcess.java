package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A program of the samples in a process of its own, as its user runs it. */
public final class JavaProcess implements AutoCloseable {
    /** A loaded machine takes its time to start some virtual machines and Spring. */
    private static final Duration PATIENCE = Duration.ofSeconds(420);

    private final Process process;
    private final StringBuffer output = new StringBuffer();
    private final Thread reader;

    public JavaProcess(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dio.rdma.leakDetection=paranoid",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // starts faster
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = Thread.ofVirtual()
                .start(() -> process.inputReader()
                        .lines()
                        .forEach(line -> output.append(line).append('\n')));
    }

    /** Waits for a line that is this, and fails if the process ends without one. */
    public MatchResult await(Pattern line) {
        Awaitility.await()
                .atMost(PATIENCE)
                .alias(line + " in the output")
                .until(() -> first(line).isPresent() || !reader.isAlive());
        return first(line).orElseThrow(() -> new AssertionError("it has ended without " + line + ": " + output));
    }

    private Optional<MatchResult> first(Pattern line) {
        return output.toString()
                .lines()
                .map(line::matcher)
                .filter(Matcher::matches)
                .map(Matcher::toMatchResult)
                .findFirst();
    }

    /** Asks it to end, as an operator does. */
    public JavaProcess terminate() {
        process.toHandle().destroy(); // its output stays readable, which Process.destroy() would end
        return this;
    }

    /** Ends it at once: it has no time to say goodbye to anybody. Does not wait. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Waits for its end. */
    public JavaProcess ended(int status) throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(output.toString())
                .isTrue();
        reader.join();
        assertThat(process.exitValue()).as(output.toString()).isEqualTo(status);
        return this;
    }

    public String output() {
        return output.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
