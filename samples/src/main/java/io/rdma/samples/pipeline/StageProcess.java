package io.rdma.samples.pipeline;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - One thread reads the output of the process, to its end. `ended` completes after that, so the last line is
// known then.
// - The process ends with this process, since its standard input then ends.

/** A stage in a process of its own. */
final class StageProcess implements AutoCloseable {
    private static final int START_SECONDS = 240;

    private final Stage stage;
    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final CompletableFuture<StageProcess> ended = new CompletableFuture<>();
    private volatile @Nullable String done;

    /**
     * Starts the process.
     *
     * @param builder of the process
     * @param watcher gets its reports, on a thread that only reads this process
     */
    StageProcess(Stage stage, ProcessBuilder builder, Consumer<StageReport> watcher) throws IOException {
        this.stage = stage;
        process = builder.start();
        Thread.startVirtualThread(() -> read(watcher));
    }

    private void read(Consumer<StageReport> watcher) {
        try (BufferedReader reader = process.inputReader()) {
            String line;
            while ((line = reader.readLine()) != null) {
                if (line.startsWith(PipelineStage.LISTENING)) {
                    port.complete(Integer.parseInt(line.substring(PipelineStage.LISTENING.length())));
                } else if (line.startsWith(PipelineStage.DONE)) {
                    done = line.substring(PipelineStage.DONE.length());
                } else {
                    StageReport.parse(line).ifPresentOrElse(watcher, printing(line));
                }
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("the output of the " + stage.command() + " could not be read: " + e);
            process.destroyForcibly();
        }
        process.onExit().thenAccept(end -> {
            port.completeExceptionally(new IOException("the " + stage.command() + " ended before it listened"));
            ended.complete(this);
        });
    }

    private Runnable printing(String line) {
        return () -> System.out.println(stage.command() + ": " + line);
    }

    /** Waits until the stage listens, and returns its port. */
    int port() throws IOException, InterruptedException {
        try {
            return port.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the " + stage.command() + " did not listen within " + START_SECONDS + " s", e);
        }
    }

    Stage stage() {
        return stage;
    }

    /** Returns a future that completes with this object when the process has ended. */
    CompletableFuture<StageProcess> ended() {
        return ended;
    }

    /** Waits for the end of the process, for a limited time. */
    void awaitEnd(int seconds) throws InterruptedException {
        try {
            ended.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // the process still runs; close() ends it
        }
    }

    /** Returns the result that the stage printed at its end; null if it did not get that far. */
    @Nullable
    String done() {
        return done;
    }

    /** Returns the exit status. Called after the end. */
    int status() {
        return process.exitValue();
    }

    /** Writes a newline to the standard input of the stage, as Enter does. */
    void enter() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Asks the process to end. */
    void stop() {
        process.toHandle().destroy(); // its output stays readable, which Process.destroy() would prevent
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
