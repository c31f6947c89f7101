package io.rdma.samples.bench;

import io.rdma.connect.ConnectMethod;
import io.rdma.samples.bench.many.ManyConnections;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A measurement of many connections on one loop: what each costs, and what an operation takes over all of them. */
@Command(
        name = "many",
        mixinStandardHelpOptions = true,
        description = "Many connections on soft0, all ends on one loop in this JVM: time and memory of a connection,"
                + " and time of an operation over all of them beside that over one.")
final class ManyBench implements Callable<Integer> {
    private static final int QUICK_CONNECTIONS = 50;
    private static final int QUICK_OPERATIONS = 2_000;
    private static final String WRITE = ", 64 B write";
    private static final String BY_THE_CLOCK = ", by the clock";
    private static final String ECHO = ", 64 B there and back";

    /** Address of a device on its own address, where RDMA CM needs no TCP connection. */
    private static final String ADDRESS = "io.rdma.soft.address";

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(
            names = "--connections",
            split = ",",
            defaultValue = "1,1000,10000",
            description = "Numbers of connections; default: ${DEFAULT-VALUE}.")
    private List<Integer> connections = List.of();

    @Option(
            names = "--in-flight",
            defaultValue = "4",
            description = "Operations in flight on each connection; default: ${DEFAULT-VALUE}.")
    private int inFlight;

    @Option(
            names = "--operations",
            defaultValue = "1000000",
            description = "Operations of each kind in a round; default: ${DEFAULT-VALUE}.")
    private int operations;

    @Option(
            names = "--method",
            defaultValue = "TCP",
            description = "TCP: two file descriptors for each connection, one for each end. RDMA_CM: none, with the"
                    + " device on an address of its own, 127.0.0.1 port 4791, unless -D" + ADDRESS + " says another."
                    + " Default: ${DEFAULT-VALUE}.")
    private ConnectMethod method = ConnectMethod.TCP;

    @Override
    public Integer call() throws Exception {
        if (method == ConnectMethod.RDMA_CM && System.getProperty(ADDRESS) == null) {
            System.setProperty(ADDRESS, "127.0.0.1");
        }
        Results results = new Results("many");
        for (int round = 1; round <= options.rounds(); round++) {
            for (int count : counts()) {
                measure(count, results);
            }
        }
        String one = name(1);
        for (int wanted : connections) {
            for (String kind : List.of(WRITE, ECHO)) {
                Bar bar = wanted == 1_000 ? Bar.atMost(1.5) : wanted == 10_000 ? Bar.atMost(2) : null;
                if (wanted != 1) {
                    results.compare(name(wanted) + kind, one + kind, bar);
                    results.compare(name(wanted) + kind + BY_THE_CLOCK, one + kind + BY_THE_CLOCK);
                }
            }
        }
        options.finish(results);
        return 0;
    }

    private List<Integer> counts() {
        return options.quick()
                ? connections.stream()
                        .map(count -> Math.min(count, QUICK_CONNECTIONS))
                        .distinct()
                        .toList()
                : connections;
    }

    private static String name(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    private void measure(int count, Results results) throws IOException, InterruptedException {
        String name = name(count);
        try (ManyConnections many = new ManyConnections(count, inFlight, method)) {
            ProcessCost before = ProcessCost.now();
            long registered = many.registered();
            long start = System.nanoTime();
            long processor = Jvm.cpuNanos();
            many.connect();
            double connected = System.nanoTime() - start;
            double worked = Jvm.cpuNanos() - processor;
            ProcessCost after = ProcessCost.now();
            results.add(name + ", time to connect", "ms", connected / 1e6);
            results.add(name + ", processor time to connect one", "us", worked / 1e3 / count);
            results.add(name + ", heap of one", "KiB", (after.heap() - before.heap()) / 1024.0 / count);
            results.add(name + ", registered for one", "KiB", (many.registered() - registered) / 1024.0 / count);
            results.add(name + ", descriptors", "files", after.descriptors() - before.descriptors());
            results.add(name + ", threads", "threads", after.threads() - before.threads());
            results.add(name + ", registered in all", "MiB", many.registered() / 1024.0 / 1024);
            time(name + WRITE, count, results, many::write);
            time(name + ECHO, count, results, many::echo);
            long closing = System.nanoTime();
            many.disconnect();
            results.add(name + ", time to disconnect", "ms", (System.nanoTime() - closing) / 1e6);
        }
    }

    /** Load over all connections. */
    private interface Load {
        void run(int operations) throws InterruptedException;
    }

    private void time(String name, int count, Results results, Load load) throws InterruptedException {
        int number = Math.max(options.quick() ? QUICK_OPERATIONS : operations, 8 * count * inFlight);
        load.run(number); // for the compilers
        if (!options.quick()) {
            Jvm.awaitCompilers();
        }
        long start = System.nanoTime();
        long processor = Jvm.cpuNanos();
        load.run(number);
        double clock = System.nanoTime() - start;
        double worked = Jvm.cpuNanos() - processor;
        results.add(name, "ns", worked / number);
        results.add(name + BY_THE_CLOCK, "clock ns", clock / number);
    }
}
