package io.rdma.samples.bench;

import io.rdma.samples.bench.soak.Footprint;
import io.rdma.samples.bench.soak.SoakProcess;
import io.rdma.samples.support.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

// The first third of the samples is left out, since compilers and pools still grow. Each value of the second third is
// compared with the value at the same position of the last third, so a ratio above 1 means growth.

/** A soak test, which shows whether the process grows. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description =
                "Minutes of mixed traffic over connections that come and go, both ends in one JVM of 256 MiB heap:"
                        + " heap, memory of the process, threads and file descriptors must not grow.")
final class SoakBench implements Callable<Integer> {
    private static final double FLAT = 1.1;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--minutes", defaultValue = "5", description = "Duration; default: ${DEFAULT-VALUE}.")
    private int minutes;

    @Option(names = "--visitors", defaultValue = "4", description = "Connections at once; default: ${DEFAULT-VALUE}.")
    private int visitors;

    @Option(names = "--device", defaultValue = "soft0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "soft0";

    @Override
    public Integer call() throws Exception {
        List<Footprint> samples = new ArrayList<>();
        int status = run(samples);
        if (status != 0 || samples.size() < 3) {
            System.err.println("the observed process failed: exit status " + status);
            return 1;
        }
        Results results = new Results("soak");
        add(results, samples, "heap after a collection", "MiB", footprint -> footprint.heap() / 0x1p20);
        add(results, samples, "resident memory", "MiB", footprint -> footprint.resident() / 0x1p20);
        add(results, samples, "threads", "count", Footprint::threads);
        add(results, samples, "file descriptors", "count", Footprint::descriptors);
        options.finish(results);
        return 0;
    }

    private int run(List<Footprint> samples) throws IOException, InterruptedException {
        long seconds = options.quick() ? 6 : 60L * minutes;
        Process process = ChildJvm.of(
                        List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"),
                        SoakProcess.class,
                        List.of(
                                device,
                                Long.toString(seconds),
                                Long.toString(options.quick() ? 3 : Math.max(30, seconds / 5)),
                                Integer.toString(visitors)))
                .start();
        try (BufferedReader output = process.inputReader()) {
            String line;
            while ((line = output.readLine()) != null) {
                if (line.startsWith(SoakProcess.FOOTPRINT)) {
                    samples.add(Footprint.parse(line.substring(SoakProcess.FOOTPRINT.length())));
                } else {
                    System.out.println(line);
                }
            }
        }
        return process.waitFor();
    }

    private static void add(
            Results results, List<Footprint> samples, String name, String unit, ToDoubleFunction<Footprint> value) {
        int third = samples.size() / 3;
        String before = name + ", second third";
        String after = name + ", last third";
        for (int i = third; i < 2 * third; i++) {
            double first = value.applyAsDouble(samples.get(i));
            if (first > 0) { // 0 means that this system does not report the value
                results.add(before, unit, first);
                results.add(after, unit, value.applyAsDouble(samples.get(i + third)));
            }
        }
        results.compare(after, before, Bar.atMost(FLAT));
    }
}
