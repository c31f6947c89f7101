package io.rdma.samples.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A server of a sample in a process of its own. The program of the server waits for its {@link ParentProcess}, so it
 * ends with this process.
 */
public final class ServerProcess implements AutoCloseable {
    /** Limit of the time in which a server prints its port. */
    private static final int START_SECONDS = 240;
    /** Limit of the time in which a server ends by itself. */
    private static final int END_SECONDS = 120;

    private final Process process;
    private final BufferedReader output;

    /**
     * Starts a server.
     *
     * @param builder of the process, from {@link ChildJvm}
     * @throws IOException if it cannot be started
     */
    public ServerProcess(ProcessBuilder builder) throws IOException {
        process = builder.start();
        output = process.inputReader();
    }

    /**
     * Waits for a line of its output that begins with a given text.
     *
     * @param beginning of a line
     * @return the number after it
     * @throws IOException if the process ended before it printed the line, or did not print it in time
     */
    public int port(String beginning) throws IOException {
        CompletableFuture<Boolean> late = killAfter(START_SECONDS);
        try {
            String line;
            while ((line = output.readLine()) != null) {
                if (line.startsWith(beginning)) {
                    return Integer.parseInt(line.substring(beginning.length()));
                }
            }
            throw new IOException(
                    late.isDone()
                            ? "the server did not listen within " + START_SECONDS + " s"
                            : "the server has ended: see above");
        } finally {
            late.cancel(false);
        }
    }

    /**
     * Returns the process.
     *
     * @return its handle in the operating system
     */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /**
     * Asks the process to end, and waits for it. If it does not end in time, it is killed.
     *
     * @return its exit status
     */
    public int end() throws IOException {
        process.getOutputStream().close();
        CompletableFuture<Boolean> late = killAfter(END_SECONDS);
        int status = process.onExit().join().exitValue();
        late.cancel(false);
        return status;
    }

    /** Kills the process after a time, unless the returned future is cancelled before. */
    private CompletableFuture<Boolean> killAfter(int seconds) {
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        late.completeOnTimeout(true, seconds, TimeUnit.SECONDS).thenRun(process::destroyForcibly);
        return late;
    }

    @Override
    public void close() throws IOException {
        end();
    }
}
