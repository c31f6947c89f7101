package io.rdma.samples.bench;

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
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

// Invariant: in each round every carrier performs every exchange, one immediately after the other, over connections
// that stay open.

/** A run of the same exchanges over each {@link Carrier}. */
final class SocketsRun {
    private static final long SECOND = 1_000_000_000;

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
    }

    private interface Ports {
        int of(Carrier carrier, int size) throws IOException;
    }

    private final BenchOptions options;
    private final Pattern only;
    private final Results results = new Results("sockets");

    SocketsRun(BenchOptions options, String only) {
        this.options = options;
        this.only = Pattern.compile(only);
    }

    Results measure() throws Exception {
        List<String> sizes = Arrays.stream(Exchange.values())
                .map(exchange -> Integer.toString(exchange.size))
                .distinct()
                .toList();
        try (OtherJvm other = OtherJvm.start(ChildJvm.of(List.of("-Xmx1g"), CarrierServers.class, sizes))) {
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                Results into = round == 0 ? new Results("warm-up") : results;
                round(into, "one JVM", Carrier::serve, Jvm::cpuNanos);
                round(
                        into,
                        "two JVMs",
                        (carrier, size) -> other.port(CarrierServers.name(carrier, size)),
                        () -> Jvm.cpuNanos() + other.cpuNanos());
            }
        }
        compare();
        return results;
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
        for (String where : List.of("one JVM", "two JVMs")) {
            boolean two = where.equals("two JVMs");
            for (Carrier carrier : List.of(Carrier.NIO, Carrier.SOFT0)) {
                boolean soft0 = carrier == Carrier.SOFT0;
                compare(where, Exchange.PING_PONG, ", p50", carrier, soft0 && two ? Bar.atMost(0.1) : null);
                compare(where, Exchange.SMALL, "", carrier, soft0 ? Bar.atLeast(two ? 3 : 5) : null);
                compare(where, Exchange.LARGE, "", carrier, soft0 && two ? Bar.atLeast(2) : null);
                for (Exchange exchange : Exchange.values()) {
                    compare(where, exchange, ", processor", carrier, null);
                }
            }
            for (Carrier carrier : List.of(Carrier.CUT, Carrier.READ)) {
                compare(where, Exchange.LARGE, "", carrier, null);
                compare(where, Exchange.LARGE, ", processor", carrier, null);
            }
        }
    }

    private void compare(String where, Exchange exchange, String what, Carrier carrier, @Nullable Bar bar) {
        String name = name(where, exchange, carrier) + what;
        String base = name(where, exchange, Carrier.NETTY) + what;
        if (bar == null) {
            results.compare(name, base);
        } else {
            results.compare(name, base, bar);
        }
    }
}
