package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.AeronDriver;
import io.rdma.samples.bench.exchange.BusyThreads;
import io.rdma.samples.bench.exchange.Carrier;
import io.rdma.samples.bench.exchange.CarrierServers;
import io.rdma.samples.bench.exchange.Client;
import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.support.ChildJvm;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

// Invariant: in each round every carrier performs every exchange, one immediately after the other, over connections
// that stay open.

/** A run of the same exchanges over each {@link Carrier}. */
final class SocketsRun {
    private static final long SECOND = 1_000_000_000;
    private static final String TWO_JVMS = "two JVMs";

    /** The kinds of exchanges. {@code chunk} messages are sent between two readings of the clock. */
    private enum Exchange {
        PING_PONG("64 B ping-pong", 64, 200),
        SMALL("64 B stream", 64, 5_000),
        LARGE("64 KiB stream", 65_536, 200);

        private final String label;
        private final int size;
        private final int chunk;

        Exchange(String label, int size, int chunk) {
            this.label = label;
            this.size = size;
            this.chunk = chunk;
        }

        /** Returns the end of the name of the figure that counts. */
        private String figure() {
            return this == PING_PONG ? ", p50" : "";
        }
    }

    private interface Ports {
        int of(Carrier carrier, int size) throws IOException;
    }

    private final BenchOptions options;
    private final Pattern only;
    private final int busy;
    private final Results results;

    /**
     * Creates a run.
     *
     * @param only pattern of the names of exchanges that are wanted
     * @param busy number of threads of another program that occupy processors meanwhile
     */
    SocketsRun(BenchOptions options, String only, int busy) {
        this.options = options;
        this.only = Pattern.compile(only);
        this.busy = busy;
        results = new Results(busy == 0 ? "sockets" : "sockets-busy");
    }

    Results measure() throws Exception {
        if (busy == 0) {
            rounds();
        } else {
            List<String> threads = List.of(Integer.toString(busy));
            try (OtherJvm program = OtherJvm.start(ChildJvm.of(ChildJvm.SMALL, BusyThreads.class, threads))) {
                long before = program.cpuNanos();
                rounds();
                System.out.println("the other program was busy for " + (program.cpuNanos() - before) / SECOND + " s");
            }
        }
        compare();
        return results;
    }

    private void rounds() throws Exception {
        List<String> sizes = Arrays.stream(Exchange.values())
                .map(exchange -> Integer.toString(exchange.size))
                .distinct()
                .toList();
        try (AeronDriver driver = AeronDriver.launch();
                OtherJvm other = OtherJvm.start(ChildJvm.of(options(driver), CarrierServers.class, sizes))) {
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                Results into = round == 0 ? new Results("warm-up") : results;
                round(into, "one JVM", Carrier::serve, Jvm::cpuNanos);
                round(
                        into,
                        TWO_JVMS,
                        (carrier, size) -> other.port(CarrierServers.name(carrier, size)),
                        () -> Jvm.cpuNanos() + other.cpuNanos());
            }
        }
    }

    private static List<String> options(AeronDriver driver) {
        return Stream.concat(Stream.of("-Xmx1g"), driver.options().stream()).toList();
    }

    private void round(Results into, String where, Ports ports, LongSupplier cpu) throws Exception {
        for (Exchange exchange : Exchange.values()) {
            for (Carrier carrier : Carrier.values()) {
                if (!carrier.differsFor(exchange.size)
                        || !only.matcher(name(where, exchange, carrier)).find()) {
                    continue;
                }
                try (Client client = carrier.connect(ports.of(carrier, exchange.size), exchange.size)) {
                    run(into, client, exchange, name(where, exchange, carrier), cpu);
                }
            }
        }
    }

    private static String name(String where, Exchange exchange, Carrier carrier) {
        return where + ", " + exchange.label + ", " + carrier;
    }

    private void run(Results into, Client client, Exchange exchange, String name, LongSupplier cpu) throws Exception {
        chunk(client, exchange, new Histogram(3)); // the first messages of a connection are its slowest
        Histogram times = new Histogram(3);
        long count = 0;
        long cpuBefore = cpu.getAsLong();
        long start = System.nanoTime();
        long elapsed;
        do {
            chunk(client, exchange, times);
            count += exchange.chunk;
            elapsed = System.nanoTime() - start;
        } while (elapsed < (options.quick() ? SECOND / 10 : 2 * SECOND));
        long busy = cpu.getAsLong() - cpuBefore;
        switch (exchange) {
            case PING_PONG -> into.add(name + ", p50", "us", times.getValueAtPercentile(50) / 1e3);
            case SMALL -> into.add(name, "messages/ms", count * 1e6 / elapsed);
            case LARGE -> into.add(name, "MB/s", (double) count * exchange.size * 1e3 / elapsed);
        }
        into.add(name + ", processor", "us/message", busy / 1e3 / count);
    }

    private static void chunk(Client client, Exchange exchange, Histogram times) throws Exception {
        if (exchange == Exchange.PING_PONG) {
            client.pingPong(exchange.chunk, times);
        } else {
            client.stream(exchange.chunk);
        }
    }

    private void compare() {
        for (String where : List.of("one JVM", TWO_JVMS)) {
            for (Carrier carrier : List.of(Carrier.NIO, Carrier.AERON, Carrier.SOFT0)) {
                for (Exchange exchange : Exchange.values()) {
                    Bar bar = carrier == Carrier.SOFT0 ? bar(exchange, where.equals(TWO_JVMS)) : null;
                    compare(where, exchange, exchange.figure(), carrier, Carrier.NETTY, bar);
                    compare(where, exchange, ", processor", carrier, Carrier.NETTY, null);
                }
            }
            for (Exchange exchange : Exchange.values()) {
                compare(where, exchange, exchange.figure(), Carrier.SOFT0, Carrier.AERON, null);
                compare(where, exchange, ", processor", Carrier.SOFT0, Carrier.AERON, null);
            }
            for (Carrier carrier : List.of(Carrier.CUT, Carrier.READ)) {
                compare(where, Exchange.LARGE, "", carrier, Carrier.NETTY, null);
                compare(where, Exchange.LARGE, ", processor", carrier, Carrier.NETTY, null);
            }
        }
    }

    /** Returns the bar of soft0's ratio to Reactor Netty. Beside a busy program, soft0 must not be worse. */
    private @Nullable Bar bar(Exchange exchange, boolean two) {
        boolean beside = busy > 0;
        return switch (exchange) {
            case PING_PONG -> !two ? null : Bar.atMost(beside ? 1 : 0.1);
            case SMALL -> beside ? two ? Bar.atLeast(1) : null : Bar.atLeast(two ? 3 : 5);
            case LARGE -> !two ? null : Bar.atLeast(beside ? 1 : 2);
        };
    }

    private void compare(
            String where, Exchange exchange, String figure, Carrier carrier, Carrier base, @Nullable Bar bar) {
        results.compare(name(where, exchange, carrier) + figure, name(where, exchange, base) + figure, bar);
    }
}
