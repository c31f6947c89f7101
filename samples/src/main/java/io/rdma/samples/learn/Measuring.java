package io.rdma.samples.learn;

import java.nio.file.Path;
import java.util.Arrays;
import picocli.CommandLine.Option;

/** The options of the programs that measure, and the measurement of time. */
final class Measuring {
    @Option(
            names = {"-n", "--count"},
            defaultValue = "1000",
            description = "Repetitions of each measurement; default: ${DEFAULT-VALUE}.")
    private int count = 1000;

    @Option(
            names = "--output",
            paramLabel = "FOLDER",
            defaultValue = "target/learn",
            description = "Folder for plots; default: ${DEFAULT-VALUE}.")
    Path output = Path.of("target/learn");

    int count() {
        if (count < 1) {
            throw new IllegalArgumentException("--count must be at least 1: " + count);
        }
        return count;
    }

    /**
     * Returns the median time of an action in microseconds. The action is repeated, one run after the other. As many
     * runs before them warm up.
     */
    double median(Runnable action) {
        long[] nanos = new long[count()];
        for (int i = 0; i < nanos.length; i++) {
            action.run();
        }
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            action.run();
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1e3;
    }
}
