package io.rdma.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

// For each size, perftest prints one line that begins with the size and the number of iterations. Of the numbers after
// these two, the third is the median of a latency test, and the second is the average of a bandwidth test.

/** The programs of the perftest package, with both ends on this machine. */
final class Perftest {
    private static final Pattern ROW = Pattern.compile("\\s*\\d+\\s+\\d+\\s+([\\d.]+)\\s+([\\d.]+)\\s+([\\d.]+).*");
    private static final int TRIES = 100;
    private static final int RUNS = 20; // on a busy host one in three has no result
    private static final long SECONDS = 120;

    private final String device;
    private final String host;
    private final int gidIndex;
    private final boolean events;

    /**
     * Selects the device and the address that the programs use.
     *
     * @param events whether both ends sleep until a completion; otherwise they poll continuously
     */
    Perftest(String device, String host, int gidIndex, boolean events) {
        this.device = device;
        this.host = host;
        this.gidIndex = gidIndex;
        this.events = events;
    }

    /** Returns the median latency in microseconds. */
    double latency(String program, int size, int count) throws IOException, InterruptedException {
        return run(program, size, count, 3);
    }

    /** Returns the average bandwidth in Gbit/s. */
    double bandwidth(String program, int size, int count) throws IOException, InterruptedException {
        return run(program, size, count, 2, "--report_gbits");
    }

    private double run(String program, int size, int count, int column, String... more)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(program, "-F", "-d", device, "-x", "" + gidIndex, "-n", "" + count));
        if (!program.startsWith("ib_atomic")) { // the size of an atomic is fixed
            command.addAll(List.of("-s", "" + size));
        }
        if (events && !program.startsWith("ib_write")) { // the server of ib_write has no completion to wait for
            command.add("-e");
        }
        command.addAll(List.of(more));
        for (int tries = 0; tries < RUNS; tries++) {
            double value = run(command, column);
            if (value > 0) {
                return value;
            }
        }
        throw new IOException("no result of " + String.join(" ", command));
    }

    /**
     * Runs both ends once.
     *
     * @return 0 or less if the client has no result: perftest does not convert cycles into time if it was held up while
     *     it measured the processor's frequency
     */
    private double run(List<String> command, int column) throws IOException, InterruptedException {
        Process server = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            List<String> client = new ArrayList<>(command);
            client.add(host);
            for (int tries = 0; tries < TRIES && server.isAlive(); tries++) {
                double value = value(client, column);
                if (value >= 0) {
                    return value;
                }
                Thread.sleep(100); // the server was not listening yet
            }
            return -1;
        } finally {
            if (!server.waitFor(5, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    /**
     * Returns a value from the client's output.
     *
     * @return negative if the client ended without one
     */
    private static double value(List<String> client, int column) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(client)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        double value = -1;
        try (BufferedReader output = process.inputReader()) {
            String line;
            while ((line = output.readLine()) != null) {
                Matcher row = ROW.matcher(line);
                if (row.matches()) {
                    value = Double.parseDouble(row.group(column));
                }
            }
        }
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return value;
    }
}
