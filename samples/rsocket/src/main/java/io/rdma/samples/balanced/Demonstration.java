package io.rdma.samples.balanced;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.samples.support.ChildJvm;
import io.rdma.samples.support.ServerProcess;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A demonstration: three servers and a client that asks continuously, then one server is killed and another one joins.
 * Each step waits for a number of answers, not for a time.
 */
final class Demonstration {
    private static final String HOST = "127.0.0.1";

    /** Number of answers of a server after which the demonstration continues. */
    private static final int ENOUGH = 200;

    /** Delay after which the discovery notices that a server was killed. */
    private static final Duration LATE = Duration.ofMillis(1500);

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final String device;
    private final PrintStream out;
    private final Map<String, ServerProcess> processes = new LinkedHashMap<>();

    Demonstration(String device, PrintStream out) {
        this.device = device;
        this.out = out;
    }

    /**
     * Runs the demonstration.
     *
     * @return whether every question got a correct answer
     */
    boolean run() throws IOException {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named(device))) {
            Servers servers = new Servers();
            DigestClient client = new DigestClient(RdmaClient.create().resources(resources), servers);
            try {
                for (String name : List.of("alpha", "beta", "gamma")) {
                    start(name, servers);
                }
                return play(servers, client, new Load(client));
            } finally {
                client.dispose();
                for (ServerProcess process : processes.values()) {
                    process.close();
                }
            }
        }
    }

    private boolean play(Servers servers, DigestClient client, Load load) throws IOException {
        Disposable report = Flux.interval(Duration.ofSeconds(1)).subscribe(second -> out.println(client));
        try {
            until(() -> answered(client, 0, "alpha", "beta", "gamma"));
            kill("beta");
            Mono<Long> noticed = Mono.delay(LATE).cache();
            noticed.subscribe();
            long before = Math.max(client.answersOf("alpha"), client.answersOf("gamma"));
            until(() -> answered(client, before, "alpha", "gamma"));
            noticed.block(PATIENCE);
            servers.left("beta");
            out.println("the discovery has noticed");
            start("delta", servers);
            until(() -> answered(client, 0, "delta"));
            load.stop().block(PATIENCE);
        } finally {
            report.dispose();
        }
        out.println(client);
        out.println(load.right() + " questions answered rightly, " + load.wrong() + " wrongly or not");
        return load.wrong() == 0;
    }

    private void start(String name, Servers servers) throws IOException {
        ServerProcess process = new ServerProcess(
                ChildJvm.of(ChildJvm.SMALL, Balanced.class, List.of(Balanced.TIED, name, device, HOST)));
        processes.put(name, process);
        int port = process.port(DigestServer.READY);
        out.println("server " + name + " is process " + process.handle().pid() + ", port " + port);
        servers.joined(name, HOST, port);
    }

    private void kill(String name) {
        ProcessHandle victim = Objects.requireNonNull(processes.get(name)).handle();
        victim.destroyForcibly();
        victim.onExit().join();
        out.println("server " + name + " was killed");
    }

    private static boolean answered(DigestClient client, long before, String... names) {
        return Arrays.stream(names).allMatch(name -> client.answersOf(name) >= before + ENOUGH);
    }

    private static void until(BooleanSupplier condition) {
        Flux.interval(Duration.ZERO, Duration.ofMillis(20))
                .onBackpressureDrop()
                .filter(tick -> condition.getAsBoolean())
                .blockFirst(PATIENCE);
    }
}
