package io.rdma.samples.bench;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A measurement of the cost of idle connections. */
@Command(
        name = "idle",
        mixinStandardHelpOptions = true,
        description =
                "Processor time and memory of open connections on soft0 that carry nothing, both ends in this JVM.")
final class IdleBench implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--connections", defaultValue = "100", description = "Connections; default: ${DEFAULT-VALUE}.")
    private int connections;

    @Override
    public Integer call() throws Exception {
        Results results = new Results("idle");
        for (int round = 1; round <= options.rounds(); round++) {
            results.add("no connections", "% of a core", idle());
            try (RdmaResources servers = RdmaResources.open(RdmaDevices.named("soft0"));
                    RdmaResources clients = RdmaResources.open(RdmaDevices.named("soft0"))) {
                DisposableServer server = RdmaServer.create()
                        .resources(servers)
                        .host("127.0.0.1")
                        .port(0)
                        .handle(connection ->
                                connection.receive(message -> message.length()).then())
                        .bindNow(PATIENCE);
                RdmaClient client =
                        RdmaClient.create().resources(clients).host("127.0.0.1").port(server.port());
                for (int i = 0; i < connections; i++) {
                    RdmaConnection connection = client.connectNow(PATIENCE);
                    connection.send(Long.BYTES, target -> {}).block(PATIENCE);
                }
                results.add(connections + " connections", "% of a core", idle());
                results.add("registered for each, server", "KiB", kibibytesOfOne(servers));
                results.add("registered for each, client", "KiB", kibibytesOfOne(clients));
                server.disposeNow(PATIENCE);
            }
        }
        results.bar(connections + " connections", Bar.atMost(1));
        options.finish(results);
        return 0;
    }

    private double kibibytesOfOne(RdmaResources resources) {
        return resources.registrationBudget().registered() / 1024.0 / connections;
    }

    /**
     * Waits until earlier work has settled, then measures for as long again.
     *
     * @return the share of a core that was used
     */
    private double idle() throws InterruptedException {
        long millis = options.quick() ? 500 : 5_000;
        Thread.sleep(millis);
        long cpu = Jvm.cpuNanos();
        long start = System.nanoTime();
        Thread.sleep(millis);
        return 100.0 * (Jvm.cpuNanos() - cpu) / (System.nanoTime() - start);
    }
}
