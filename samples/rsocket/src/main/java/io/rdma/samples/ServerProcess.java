package io.rdma.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server of a sample in a process of its own. It ends with its standard input, and so with its parent process. */
public final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ServerProcess(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /**
     * Starts a program, which should call {@link #endWithStandardInput} first.
     *
     * @param program with a main method
     * @param arguments its arguments
     * @return the running process
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

    /** Ends the calling process when its standard input is closed, that is, when its parent process has ended. */
    public static void endWithStandardInput() {
        Thread.ofVirtual().start(() -> {
            try (InputStream in = System.in) {
                in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // treated like the end of the input
            }
            System.exit(0);
        });
    }

    /**
     * Waits for a line of its output that begins with a given text.
     *
     * @param beginning of a line
     * @return the number after it
     * @throws IOException if the process has ended before it printed the line
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

    /**
     * Returns the process.
     *
     * @return its handle in the operating system
     */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /**
     * Asks the process to end, and waits for it.
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
