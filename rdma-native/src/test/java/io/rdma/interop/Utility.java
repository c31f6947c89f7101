package io.rdma.interop;

import static io.rdma.interop.Side.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Running program of rdma-core or perftest, with its output in a file. Prints the output if the program fails. */
final class Utility implements AutoCloseable {
    /** Bound of everything that takes as long as a program. */
    static final Duration PATIENCE = Duration.ofSeconds(120);

    /** Time between two attempts to reach a program that does not listen yet. */
    static final int REPEAT_MILLIS = 100;

    private final Path output = Files.createTempFile("interop", ".txt");
    private final Process process;
    private boolean right;

    /**
     * Starts a program.
     *
     * @param prefix words in front of its command
     * @param command the program and its options
     */
    Utility(List<String> prefix, List<String> command) throws IOException {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    boolean ended(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Waits a little before the next attempt to reach the program, which must still run. */
    void awaitNextAttempt(long deadline) throws InterruptedException {
        check(System.nanoTime() - deadline < 0, "a server in time");
        check(!ended(REPEAT_MILLIS), "their program still runs");
    }

    void expectSuccess() throws InterruptedException {
        check(ended(PATIENCE.toMillis()), "the end of their program in time");
        check(process.exitValue() == 0, "their exit status " + process.exitValue());
        right = true;
    }

    /** Ends a program that does not end by itself, and checks that it was still running. */
    void terminate() {
        check(process.isAlive(), "their program still runs");
        right = true;
    }

    /** Checks that no line of the output contains a text. */
    void expectNot(String text) throws IOException {
        right = Files.readAllLines(output).stream().noneMatch(line -> line.contains(text));
        check(right, "their output has no \"" + text + "\"");
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        if (!right) {
            Files.readAllLines(output).forEach(line -> System.out.println("    theirs: " + line));
        }
        Files.delete(output);
    }
}
