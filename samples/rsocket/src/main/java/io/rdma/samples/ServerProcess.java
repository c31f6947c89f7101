package io.rdma.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server of a sample in a process of its own, which ends with its standard input and so with who started it. */
public final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ServerProcess(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /**
     * Starts a program, whose first act should be {@link #endWithStandardInput}.
     *
     * @param program with a main method
     * @param arguments its arguments
     * @return running
     * @throws IOException if it cannot be started
     */
    public static ServerProcess start(Class<?> program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-classpath",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(arguments);
        return new ServerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** In the process itself: ends it when nobody holds the other end of its standard input any more. */
    public static void endWithStandardInput() {
        Thread.ofVirtual().start(() -> {
            try (InputStream in = System.in) {
                in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // as good as its end
            }
            System.exit(0);
        });
    }

    /**
     * Waits until it says so.
     *
     * @param beginning of a line
     * @return the number behind it
     * @throws IOException if it has ended before
     */
    public int port(String beginning) throws IOException {
        String line;
        while ((line = output.readLine()) != null) {
            if (line.startsWith(beginning)) {
                return Integer.parseInt(line.substring(beginning.length()));
            }
        }
        throw new IOException("the server has ended: see above");
    }

    /** @return as the operating system knows it */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /**
     * Asks it to end, and waits.
     *
     * @return its exit status
     */
    public int end() throws IOException {
        process.getOutputStream().close();
        return process.onExit().join().exitValue();
    }

    @Override
    public void close() throws IOException {
        end();
    }
}
