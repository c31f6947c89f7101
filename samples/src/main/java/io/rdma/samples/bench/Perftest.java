package io.rdma.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

// perftest prints one line for a size that begins with the size and the number of iterations. Of a latency test the
// third
// number behind them is the median, of a bandwidth test the second is the average.

/** The programs of the perftest package, both ends on this machine. */
final class Perftest {
    private static final Pattern ROW = Pattern.compile("\\s*\\d+\\s+\\d+\\s+([\\d.]+)\\s+([\\d.]+)\\s+([\\d.]+).*");
    private static final int TRIES = 100;
    private static final long SECONDS = 120;

    private final String device;
    private final String host;
    private final int gidIndex;
    private final boolean events;

    /** @param events whether both ends sleep until something completes, else they poll without end */
    Perftest(String device, String host, int gidIndex, boolean events) {
        this.device = device;
        this.host = host;
        this.gidIndex = gidIndex;
        this.events = events;
    }

    /** Median in microseconds. */
    double latency(String program, int size, int count) throws IOException, InterruptedException {
        return run(program, size, count, 3);
    }

    /** Average in Gbit/s. */
    double bandwidth(String program, int size, int count) throws IOException, InterruptedException {
        return run(program, size, count, 2, "--report_gbits");
    }

    private double run(String program, int size, int count, int column, String... more)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(program, "-F", "-d", device, "-x", "" + gidIndex, "-n", "" + count));
        if (!program.startsWith("ib_atomic")) { // its size is fixed
            command.addAll(List.of("-s", "" + size));
        }
        if (events && !program.startsWith("ib_write")) { // whose server has nothing to wait for
            command.add("-e");
        }
        command.addAll(List.of(more));
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
                Thread.sleep(100); // the server did not listen yet
            }
            throw new IOException("no result of " + String.join(" ", client));
        } finally {
            if (!server.waitFor(5, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    /** @return negative if it ended without one */
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
