package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants
// - In each round every kind of request is sent over every transport, over one immediately after the other. The
// transport that is first changes from round to round.
// - Each transport has two JVMs of its own. In a JVM with several transports the compiler knows several classes for
// each call that all of them make, and inlines none of them; a program has one transport.

/** A run of the same requests over each {@link Transport}. */
final class TransportRun {
    /** Names of figures. */
    static final String P50 = "p50";

    static final String P99 = "p99";
    static final String RATE = "rate";
    static final String ALLOCATED = "allocated";
    static final String PROCESSOR = "processor";
    private static final List<String> ALL = List.of(P50, P99, RATE, ALLOCATED, PROCESSOR);

    private static final long SECOND = 1_000_000_000;

    private final Protocol protocol;
    private final BenchOptions options;
    private final TransportOptions ends;
    private final List<Transport> transports = Transport.present();
    private final Results results;

    /** Creates a run. */
    TransportRun(Protocol protocol, BenchOptions options, TransportOptions ends) {
        this.protocol = protocol;
        this.options = options;
        this.ends = ends;
        results = new Results(protocol.name().toLowerCase(Locale.ROOT));
    }

    Results measure() throws IOException {
        Map<Transport, TransportPair> pairs = new EnumMap<>(Transport.class);
        try {
            for (Transport transport : transports) {
                if (protocol.requests().stream().anyMatch(request -> ends.isWanted(name(request, transport)))) {
                    pairs.put(transport, new TransportPair(protocol, transport, ends));
                }
            }
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                round(round == 0 ? new Results("warm-up") : results, round, pairs);
            }
        } finally {
            pairs.values().forEach(TransportPair::close);
        }
        compare();
        return results;
    }

    private void round(Results into, int round, Map<Transport, TransportPair> pairs) throws IOException {
        List<Transport> order = new ArrayList<>(transports);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (int request = 0; request < protocol.requests().size(); request++) {
            for (Transport transport : order) {
                String name = name(protocol.requests().get(request), transport);
                if (ends.isWanted(name)) {
                    Objects.requireNonNull(pairs.get(transport)).measure(request, nanos(round), into, name + ", ");
                }
            }
        }
    }

    /** Returns the time of one kind of requests over one transport. The compilers of both JVMs need a long warm-up. */
    private long nanos(int round) {
        return options.quick() ? SECOND / 10 : round == 0 ? 15 * SECOND : 3 * SECOND / 2;
    }

    private String name(TransportRequest request, Transport transport) {
        return request.name() + ", " + transport.label(ends.device());
    }

    /** Divides by the figures of epoll, or of NIO where there is no epoll. */
    private void compare() {
        Transport base = transports.contains(Transport.EPOLL) ? Transport.EPOLL : Transport.NIO;
        for (Transport transport : transports) {
            if (transport != base) {
                protocol.requests().forEach(request -> compare(request, transport, base));
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
