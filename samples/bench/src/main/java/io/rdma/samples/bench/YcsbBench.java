package io.rdma.samples.bench;

import io.rdma.samples.bench.ycsb.Workloads;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A comparison of a one-sided table with a store behind requests, by a judge from outside of the project. */
@Command(
        name = "ycsb",
        mixinStandardHelpOptions = true,
        description =
                "YCSB's core workloads A, B, C, D and F over an RdmaTable on soft0, and over a map behind RSocket on"
                        + " TCP; each row that is read is checked. E is not run: it scans, and the keys of a table"
                        + " have no order.")
final class YcsbBench implements Callable<Integer> {
    private static final int MOST_CLIENTS = 64;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(
            names = "--clients",
            defaultValue = "4",
            description = "Threads, each with a connection; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--workloads",
            paramLabel = "LETTERS",
            defaultValue = "ABCDF",
            description = "Workloads to run; default: ${DEFAULT-VALUE}.")
    private String workloads = "";

    @Override
    public Integer call() throws Exception {
        if (clients < 1 || clients > MOST_CLIENTS) {
            throw new IllegalArgumentException("--clients is " + clients + ": use 1 to " + MOST_CLIENTS);
        }
        options.finish(new YcsbRun(options, clients, chosen(workloads)).measure());
        return 0;
    }

    private static List<Workloads> chosen(String letters) {
        List<Workloads> chosen = Arrays.stream(Workloads.values())
                .filter(workload -> letters.toUpperCase(Locale.ROOT).contains(workload.name()))
                .toList();
        if (chosen.isEmpty() || chosen.size() != letters.length()) {
            throw new IllegalArgumentException("--workloads is '" + letters
                    + "': use letters of ABCDF, each once; E needs scans, and the keys of a table have no order");
        }
        return chosen;
    }
}
