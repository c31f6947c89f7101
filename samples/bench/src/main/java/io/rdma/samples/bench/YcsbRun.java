package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.ycsb.Outcome;
import io.rdma.samples.bench.ycsb.Store;
import io.rdma.samples.bench.ycsb.StoreHosts;
import io.rdma.samples.bench.ycsb.WorkloadRun;
import io.rdma.samples.bench.ycsb.Workloads;
import io.rdma.samples.support.ChildJvm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import site.ycsb.DB;

// Invariant: in each round every workload runs on each store, on one immediately after the other, over connections that
// stay open. The store that is first changes from round to round.

/** A run of the workloads on each {@link Store}. The data is in another JVM, the clients are in this one. */
final class YcsbRun {
    private static final long SECOND = 1_000_000_000;

    private final BenchOptions options;
    private final int clients;
    private final List<Workloads> workloads;
    private final Results results = new Results("ycsb");
    private final Map<Store, WorkloadRun> stores = new EnumMap<>(Store.class);

    YcsbRun(BenchOptions options, int clients, List<Workloads> workloads) {
        this.options = options;
        this.clients = clients;
        this.workloads = workloads;
    }

    Results measure() throws Exception {
        List<DB> opened = new ArrayList<>();
        try (OtherJvm hosts = OtherJvm.start(ChildJvm.of(List.of("-Xmx1g"), StoreHosts.class, List.of()))) {
            try {
                for (Store store : Store.values()) {
                    connect(store, hosts.port(store.name()), opened);
                }
                for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                    System.out.println("round " + round + " of " + options.rounds());
                    round(round == 0 ? new Results("warm-up") : results, round, hosts);
                }
            } finally {
                for (DB db : opened) {
                    db.cleanup();
                }
            }
        }
        workloads.forEach(this::compare);
        return results;
    }

    private void connect(Store store, int port, List<DB> opened) throws Exception {
        List<DB> connected = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            DB db = store.client(port);
            opened.add(db);
            connected.add(db);
            db.init();
        }
        WorkloadRun runs = new WorkloadRun(store.toString(), connected);
        runs.load();
        stores.put(store, runs);
    }

    private void round(Results into, int round, OtherJvm hosts) throws Exception {
        List<Store> order = new ArrayList<>(Arrays.asList(Store.values()));
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (Workloads workload : workloads) {
            for (Store store : order) {
                long cpu = Jvm.cpuNanos() + hosts.cpuNanos();
                Outcome outcome = Objects.requireNonNull(stores.get(store))
                        .run(workload, options.quick() ? SECOND / 10 : 2 * SECOND);
                cpu = Jvm.cpuNanos() + hosts.cpuNanos() - cpu;
                add(into, workload, store, outcome);
                into.add(name(workload, store, "processor"), "us/operation", cpu / 1e3 / outcome.operations());
            }
        }
    }

    private static void add(Results into, Workloads workload, Store store, Outcome outcome) {
        into.add(name(workload, store, "rate"), "ops/ms", outcome.operationsInAMillisecond());
        outcome.times().forEach((operation, times) -> {
            into.add(name(workload, store, operation + " p50"), "us", times.getValueAtPercentile(50) / 1e3);
            into.add(name(workload, store, operation + " p99"), "us", times.getValueAtPercentile(99) / 1e3);
        });
    }

    private void compare(Workloads workload) {
        for (Figure figure : results.figures()) {
            String prefix = name(workload, Store.RDMA_TABLE, "");
            if (figure.name().startsWith(prefix)) {
                String what = figure.name().substring(prefix.length());
                results.compare(figure.name(), name(workload, Store.RSOCKET_TCP, what));
            }
        }
    }

    private static String name(Workloads workload, Store store, String what) {
        return workload + ", " + store + ", " + what;
    }
}
