package io.rdma.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The samples' command line in a process of its own, as a user runs it. */
public final class SampleProcess implements AutoCloseable {
    private static final int SECONDS = 420; // three of them at once, under emulation, take their time

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StringBuffer output = new StringBuffer();
    private final Thread reader;

    /** Starts it. */
    public SampleProcess(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1", // starts faster
                "-XX:+UseSerialGC",
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = Thread.ofVirtual()
                .start(() -> process.inputReader().lines().forEach(line -> {
                    output.append(line).append('\n');
                    lines.add(line);
                }));
    }

    /** The rest of the first line that begins so. */
    public String await(String beginning) throws InterruptedException {
        return await(beginning, line -> line.startsWith(beginning))
                .substring(beginning.length())
                .strip();
    }

    /** The first line, of those that nobody has awaited yet, that is as wanted. */
    public String await(String what, Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() - deadline < 0) {
            String line = lines.poll(100, TimeUnit.MILLISECONDS);
            if (line != null && wanted.test(line)) {
                return line;
            }
            assertThat(line != null || process.isAlive() || reader.isAlive())
                    .as("it has ended without '" + what + "': " + output)
                    .isTrue();
        }
        throw new AssertionError("no '" + what + "' within " + SECONDS + " s: " + output);
    }

    /** Presses Enter. */
    public void enter() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Waits for its end. */
    public SampleProcess ended(int status) throws InterruptedException {
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
                .as(output.toString())
                .isTrue();
        reader.join();
        assertThat(process.exitValue()).as(output.toString()).isEqualTo(status);
        return this;
    }

    /** Asks it to end, as an operator does. */
    public void terminate() {
        process.toHandle().destroy(); // its output stays readable, which Process.destroy() would end
    }

    /** What it has printed so far. */
    public String output() {
        return output.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
