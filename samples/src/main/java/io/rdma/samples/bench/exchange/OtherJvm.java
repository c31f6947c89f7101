package io.rdma.samples.bench.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Servers in a process of their own, which ends with this one. */
public final class OtherJvm implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;
    private final Map<String, Integer> ports = new HashMap<>();

    private OtherJvm(Process process) {
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param command whole command line, of a program that calls {@link #listening} for each server, then
     *     {@link #untilTheEnd}
     * @return ready
     * @throws IOException if it does not start
     */
    public static OtherJvm start(List<String> command) throws IOException {
        OtherJvm started = new OtherJvm(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        BufferedReader reader = started.process.inputReader();
        String line;
        while ((line = reader.readLine()) != null) {
            if (line.equals(READY)) {
                return started;
            }
            int end = line.lastIndexOf(' ');
            started.ports.put(line.substring(0, end), Integer.parseInt(line.substring(end + 1)));
        }
        throw new IOException("the other JVM ended: " + command);
    }

    /**
     * Where a server listens.
     *
     * @param name as the other JVM named it
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
     * Processor time so far.
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

    /** In the other JVM: a server listens. */
    static void listening(String name, int port) {
        System.out.println(name + " " + port);
    }

    /** In the other JVM: all servers listen; stays until the one that started it ends. */
    static void untilTheEnd() throws IOException {
        System.out.println(READY);
        while (System.in.read() >= 0) {
            // nothing is said; the end of the one that measures is the end of the input
        }
        System.exit(0);
    }
}
