package io.rdma.samples.bench;

import io.rdma.engine.IdleStrategy;
import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.exchange.VerbsClient;
import io.rdma.samples.bench.exchange.VerbsServer;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A real verbs device. */
@Command(
        name = "verbs",
        mixinStandardHelpOptions = true,
        description = "Operations with Reactor in two JVMs beside perftest's programs, on the same device.")
final class VerbsBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--device", defaultValue = "rxe0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "rxe0";

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "This machine's address by which both ends find each other; default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
            names = "--idle",
            defaultValue = "ADAPTIVE",
            description =
                    "What our loops do when nothing completes, ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private IdleStrategy idle = IdleStrategy.ADAPTIVE;

    @Option(names = "--gid-idx", defaultValue = "1", description = "For perftest; default: ${DEFAULT-VALUE}.")
    private int gidIndex;

    @Option(
            names = "--events",
            description =
                    "perftest sleeps until something completes, instead of polling; always on a single processor.")
    private boolean events;

    @Option(names = "--no-perftest", description = "Without perftest, which soft0 does not have.")
    private boolean alone;

    @Option(
            names = "--count",
            defaultValue = "1000",
            description = "Operations of a latency; of a bandwidth, 64 KiB each; default: ${DEFAULT-VALUE}.")
    private int count;

    @Override
    public Integer call() throws Exception {
        Perftest theirs = alone
                ? null
                : new Perftest(
                        device, host, gidIndex, events || Runtime.getRuntime().availableProcessors() == 1);
        Results results = new Results("verbs");
        List<String> command = Jvm.command("-Xmx512m");
        command.addAll(List.of(VerbsServer.class.getName(), device, idle.name(), host));
        try (OtherJvm other = OtherJvm.start(command);
                VerbsClient ours = new VerbsClient(device, idle, host, other.port("verbs"))) {
            int operations = options.quick() ? 50 : count;
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                round(round == 0 ? new Results("warm-up") : results, ours, round == 0 ? null : theirs, operations);
            }
        }
        compare(results);
        options.finish(results);
        return 0;
    }

    private static void round(Results into, VerbsClient ours, @Nullable Perftest theirs, int count) throws Exception {
        for (int size : List.of(2, 64, 4096)) {
            into.add("send latency, " + size + " B", "us", ours.sendLatency(size, count));
            into.add("read latency, " + size + " B", "us", ours.readLatency(size, count));
            if (theirs != null) {
                into.add("ib_send_lat, " + size + " B", "us", theirs.latency("ib_send_lat", size, count));
                into.add("ib_read_lat, " + size + " B", "us", theirs.latency("ib_read_lat", size, count));
            }
        }
        into.add("atomic latency, 8 B", "us", ours.atomicLatency(count));
        if (theirs != null) {
            into.add("ib_atomic_lat, 8 B", "us", theirs.latency("ib_atomic_lat", 8, count));
        }
        for (int size : List.of(64, 65_536)) {
            into.add("send bandwidth, " + size + " B", "Gbit/s", ours.sendBandwidth(size, count));
            into.add("write bandwidth, " + size + " B", "Gbit/s", ours.writeBandwidth(size, count));
            if (theirs != null) {
                into.add("ib_send_bw, " + size + " B", "Gbit/s", theirs.bandwidth("ib_send_bw", size, count));
                into.add("ib_write_bw, " + size + " B", "Gbit/s", theirs.bandwidth("ib_write_bw", size, count));
            }
        }
        into.add("write bandwidth, 1048576 B", "Gbit/s", ours.writeBandwidth(1 << 20, Math.max(1, count / 16)));
        if (theirs != null) {
            into.add(
                    "ib_write_bw, 1048576 B",
                    "Gbit/s",
                    theirs.bandwidth("ib_write_bw", 1 << 20, Math.max(5, count / 16)));
        }
    }

    private static void compare(Results results) {
        for (int size : List.of(2, 64, 4096)) {
            Bar bar = Bar.atMost(1.15);
            if (size == 64) {
                results.compare("send latency, 64 B", "ib_send_lat, 64 B", bar);
            } else {
                results.compare("send latency, " + size + " B", "ib_send_lat, " + size + " B");
            }
            results.compare("read latency, " + size + " B", "ib_read_lat, " + size + " B");
        }
        results.compare("atomic latency, 8 B", "ib_atomic_lat, 8 B");
        results.compare("send bandwidth, 64 B", "ib_send_bw, 64 B");
        results.compare("send bandwidth, 65536 B", "ib_send_bw, 65536 B");
        results.compare("write bandwidth, 64 B", "ib_write_bw, 64 B");
        results.compare("write bandwidth, 65536 B", "ib_write_bw, 65536 B", Bar.atLeast(0.95));
        results.compare("write bandwidth, 1048576 B", "ib_write_bw, 1048576 B");
    }
}
