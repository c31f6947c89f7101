package io.rdma.samples.bench;

import io.rdma.samples.bench.many.SharedService;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A measurement of the service that modest clients get beside hogs, from a server whose connections share receives. */
@Command(
        name = "fairness",
        mixinStandardHelpOptions = true,
        description = "Modest clients and clients that send as fast as they can, at a server on soft0 whose connections"
                + " share receives: the messages of each that the server serves.")
final class FairnessBench implements Callable<Integer> {
    private static final int QUICK_ANSWERS = 500;
    private static final String SERVED = ", served of a modest client";

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--modest", defaultValue = "32", description = "Modest clients; default: ${DEFAULT-VALUE}.")
    private int modest;

    @Option(names = "--hogs", split = ",", defaultValue = "0,1,8", description = "Hogs; default: ${DEFAULT-VALUE}.")
    private List<Integer> hogs = List.of();

    @Option(
            names = "--work",
            defaultValue = "500",
            description = "Microseconds that the server takes for a message; default: ${DEFAULT-VALUE}.")
    private int work;

    @Option(
            names = "--answers",
            defaultValue = "10000",
            description = "Messages of modest clients in a round; default: ${DEFAULT-VALUE}.")
    private int answers;

    @Override
    public Integer call() throws Exception {
        Results results = new Results("fairness");
        for (int round = 1; round <= options.rounds(); round++) {
            for (int number : hogs) {
                measure(number, results);
            }
        }
        for (int number : hogs) {
            if (number != 0) {
                results.compare(name(number) + SERVED, name(0) + SERVED);
            }
        }
        options.finish(results);
        return 0;
    }

    private static String name(int hogs) {
        return hogs == 1 ? "1 hog" : hogs + " hogs";
    }

    private void measure(int hogs, Results results) {
        try (SharedService service = new SharedService(modest, hogs, work * 1_000L)) {
            long start = System.nanoTime();
            service.run(options.quick() ? QUICK_ANSWERS : answers);
            double seconds = (System.nanoTime() - start) / 1e9;
            List<Long> served = service.served();
            List<Long> few = served.subList(0, modest);
            double mean = few.stream().mapToLong(Long::longValue).average().orElseThrow();
            String name = name(hogs);
            results.add(name + SERVED, "/s", mean / seconds);
            results.add(name + ", least of a modest client", "of mean", Collections.min(few) / mean);
            results.add(name + ", most of a modest client", "of mean", Collections.max(few) / mean);
            if (hogs > 0) {
                long most = Collections.max(served.subList(modest, served.size()));
                results.add(name + ", most of a hog", "of mean", most / mean);
            }
            results.add(name + ", last receive taken", "times", service.starved());
        }
    }
}
