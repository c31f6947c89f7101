package io.rdma.samples.bench.exchange;

import io.rdma.samples.support.ParentProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A process with servers, which ends with this process. */
public final class OtherJvm implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;
    private final Map<String, Integer> ports = new HashMap<>();

    private OtherJvm(Process process) {
        this.process = process;
    }

    /**
     * Starts the process.
     *
     * @param builder of the process, whose program calls {@link #listening} for each server, then {@link #untilTheEnd}
     * @return the process, whose servers are ready
     * @throws IOException if it does not start
     */
    public static OtherJvm start(ProcessBuilder builder) throws IOException {
        OtherJvm started = new OtherJvm(builder.start());
        BufferedReader reader = started.process.inputReader();
        String line;
        while ((line = reader.readLine()) != null) {
            if (line.equals(READY)) {
                return started;
            }
            int end = line.lastIndexOf(' ');
            started.ports.put(line.substring(0, end), Integer.parseInt(line.substring(end + 1)));
        }
        throw new IOException("the other JVM ended: " + builder.command());
    }

    /**
     * Returns the port on which a server listens.
     *
     * @param name that the other JVM gave it
     * @return TCP port
     */
    public int port(String name) {
        Integer port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException("the other JVM has no server " + name + ", only " + ports.keySet());
        }
        return port;
    }

    /**
     * Returns the processor time that the process has used so far.
     *
     * @return nanoseconds, in steps of the kernel's tick
     */
    public long cpuNanos() {
        return process.toHandle().info().totalCpuDuration().orElseThrow().toNanos();
    }

    @Override
    public void close() {
        process.destroy();
    }

    /**
     * Reports that a server listens. Called in the other JVM.
     *
     * @param name for {@link #port}
     * @param port TCP port
     */
    public static void listening(String name, int port) {
        System.out.println(name + " " + port);
    }

    /**
     * Reports that all servers listen, and returns when the parent process ends. Called in the other JVM.
     *
     * @throws IOException if the parent's end cannot be awaited
     */
    public static void untilTheEnd() throws IOException {
        System.out.println(READY);
        ParentProcess.awaitEnd();
        System.exit(0);
    }
}
