package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.transport.Allocated;
import io.rdma.samples.bench.transport.Clients;
import io.rdma.samples.bench.transport.Load;
import io.rdma.samples.bench.transport.Repeated;
import io.rdma.samples.bench.transport.Transport;
import io.rdma.samples.support.ChildJvm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariant: in each round every kind of request is sent over every transport, over one immediately after the other.
// The transport that is first changes from round to round.

/** A run of the same requests over each {@link Transport}. The servers are in another JVM. */
final class TransportRun {
    /** Names of figures. */
    static final String P50 = "p50";

    static final String RATE = "rate";
    static final String ALLOCATED = "allocated";
    private static final List<String> ALL = List.of(P50, "p99", RATE, ALLOCATED, "processor");

    private static final long SECOND = 1_000_000_000;

    private final BenchOptions options;
    private final TransportOptions ends;
    private final Class<?> servers;
    private final List<TransportRequest> requests;
    private final List<Transport> transports = Transport.present();
    private final Results results;

    /**
     * Creates a run.
     *
     * @param servers program of the other JVM
     */
    TransportRun(
            String instrument,
            BenchOptions options,
            TransportOptions ends,
            Class<?> servers,
            List<TransportRequest> requests) {
        this.options = options;
        this.ends = ends;
        this.servers = servers;
        this.requests = requests;
        results = new Results(instrument);
    }

    Results measure() throws Exception {
        Map<Transport, Clients> clients = new EnumMap<>(Transport.class);
        try (OtherJvm other = OtherJvm.start(ChildJvm.of(List.of("-Xmx1g"), servers, ends.arguments()))) {
            try {
                for (Transport transport : transports) {
                    clients.put(transport, Clients.of(transport, ends.end()));
                }
                for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                    System.out.println("round " + round + " of " + options.rounds());
                    round(round == 0 ? new Results("warm-up") : results, round, clients, other);
                }
            } finally {
                clients.values().forEach(Clients::close);
            }
        }
        compare();
        return results;
    }

    private void round(Results into, int round, Map<Transport, Clients> clients, OtherJvm other) throws Exception {
        List<Transport> order = new ArrayList<>(transports);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (TransportRequest request : requests) {
            for (Transport transport : order) {
                if (ends.isWanted(name(request, transport))) {
                    Clients from = Objects.requireNonNull(clients.get(transport));
                    try (Load load = request.connect().to(from, ends.host(), other.port(transport.name()))) {
                        run(into, request, transport, load, other, nanos(round));
                    }
                }
            }
        }
    }

    /** Returns the time of one kind of requests over one transport. The compilers of both JVMs need a long warm-up. */
    private long nanos(int round) {
        return options.quick() ? SECOND / 10 : round == 0 ? 4 * SECOND : 3 * SECOND / 2;
    }

    private void run(Results into, TransportRequest request, Transport transport, Load load, OtherJvm other, long nanos)
            throws Exception {
        new Repeated(load, request.atOnce()).run(nanos / 5); // connects, and the first requests are the slowest
        Repeated repeated = new Repeated(load, request.atOnce());
        long allocatedBefore = Allocated.bytes() + load.allocatedByServer();
        long busyBefore = Jvm.cpuNanos() + other.cpuNanos();
        long elapsed = repeated.run(nanos);
        long busy = Jvm.cpuNanos() + other.cpuNanos() - busyBefore;
        long allocated = Allocated.bytes() + load.allocatedByServer() - allocatedBefore;

        String prefix = name(request, transport) + ", ";
        double count = repeated.count();
        TransportRequest.@Nullable Stream stream = request.stream();
        if (stream != null) {
            into.add(prefix + RATE, stream.rateUnit(), stream.rate(count * SECOND / elapsed));
            into.add(prefix + "processor", stream.timeUnit(), stream.time(busy / 1e3 / count));
            return;
        }
        into.add(prefix + P50, "us", repeated.times().getValueAtPercentile(50) / 1e3);
        into.add(prefix + "p99", "us", repeated.times().getValueAtPercentile(99) / 1e3);
        into.add(prefix + RATE, "requests/s", count * SECOND / elapsed);
        into.add(prefix + ALLOCATED, "B", allocated / count);
        into.add(prefix + "processor", "us/request", busy / 1e3 / count);
    }

    private String name(TransportRequest request, Transport transport) {
        return request.name() + ", " + transport.label(ends.device());
    }

    /** Divides by the figures of epoll, or of NIO where there is no epoll. */
    private void compare() {
        Transport base = transports.contains(Transport.EPOLL) ? Transport.EPOLL : Transport.NIO;
        for (Transport transport : transports) {
            if (transport != base) {
                requests.forEach(request -> compare(request, transport, base));
            }
        }
    }

    private void compare(TransportRequest request, Transport transport, Transport base) {
        boolean judged = transport == Transport.RDMA && ends.device().equals("soft0");
        for (String figure : ALL) {
            @Nullable Bar bar = judged ? request.bars().get(figure) : null;
            results.compare(name(request, transport) + ", " + figure, name(request, base) + ", " + figure, bar);
        }
    }
}
