package io.rdma.samples.bench;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.RdmaSharedResources;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** A measurement of the cost of many connections of one client. */
@Command(
        name = "connections",
        mixinStandardHelpOptions = true,
        description = "Time, threads and memory of many connections of a default client, on soft0 and with Reactor"
                + " Netty, both ends in this JVM.")
final class ConnectionsBench implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int AT_ONCE = 64;
    private static final double MEBIBYTE = 1 << 20;
    private static final String HOST = "127.0.0.1";

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--connections", defaultValue = "1000", description = "Connections; default: ${DEFAULT-VALUE}.")
    private int connections;

    @Option(names = "--own", description = "Also give each connection an open device of its own, as a comparison.")
    private boolean own;

    @Override
    public Integer call() throws Exception {
        Results results = new Results("connections");
        for (int round = 1; round <= options.rounds(); round++) {
            shared(results);
            if (own) {
                own(results);
            }
            netty(results);
        }
        options.finish(results);
        return 0;
    }

    private int count() {
        return options.quick() ? Math.min(connections, 20) : connections;
    }

    private void shared(Results results) throws IOException {
        DisposableServer server = server();
        RdmaClient client = RdmaClient.create().device("soft0").host(HOST).port(server.port());
        measure(results, "soft0", number -> client.connect(), RdmaConnection::disposeLater);
        server.disposeNow(PATIENCE);
        RdmaSharedResources.disposeLater().block(PATIENCE);
    }

    private static DisposableServer server() {
        return RdmaServer.create()
                .device("soft0")
                .host(HOST)
                .port(0)
                .options(o -> o.withHandshakeTimeout(PATIENCE))
                .handle(connection -> Mono.never())
                .bindNow(PATIENCE);
    }

    private void own(Results results) throws IOException {
        DisposableServer server = server();
        List<RdmaResources> opened = new ArrayList<>();
        measure(
                results,
                "soft0, a device each",
                number -> Mono.fromCallable(() -> RdmaResources.open(RdmaDevices.named("soft0")))
                        .flatMap(resources -> {
                            synchronized (opened) {
                                opened.add(resources);
                            }
                            return RdmaClient.create()
                                    .resources(resources)
                                    .host(HOST)
                                    .port(server.port())
                                    .options(o -> o.withHandshakeTimeout(PATIENCE))
                                    .connect();
                        }),
                RdmaConnection::disposeLater);
        opened.forEach(RdmaResources::close);
        server.disposeNow(PATIENCE);
        RdmaSharedResources.disposeLater().block(PATIENCE);
    }

    private void netty(Results results) throws IOException {
        reactor.netty.DisposableServer server = TcpServer.create()
                .host(HOST)
                .port(0)
                .handle((in, out) -> out.neverComplete())
                .bindNow(PATIENCE);
        TcpClient client = TcpClient.create(ConnectionProvider.newConnection()) // its usual pool has 500 at most
                .remoteAddress(server::address);
        measure(results, "Reactor Netty", number -> client.connect(), connection -> {
            connection.dispose();
            return connection.onDispose();
        });
        server.disposeNow(PATIENCE);
    }

    /** Makes all connections, then counts what the process has more than before, and closes them. */
    private <T> void measure(
            Results results,
            String name,
            Function<Integer, Mono<? extends T>> connect,
            Function<? super T, Mono<Void>> close)
            throws IOException {
        long heap = heap();
        int threads = threads();
        long descriptors = descriptors();
        long start = System.nanoTime();
        List<T> open = Flux.range(0, count())
                .<T>flatMap(connect, AT_ONCE)
                .collectList()
                .blockOptional(PATIENCE)
                .orElseThrow();
        results.add(name + ": time to connect", "ms", (System.nanoTime() - start) / 1e6);
        results.add(name + ": threads", "threads", threads() - threads);
        results.add(name + ": descriptors", "files", descriptors() - descriptors);
        results.add(name + ": heap", "MiB", (heap() - heap) / MEBIBYTE);
        results.add(name + ": registered by the process's resources", "MiB", registered() / MEBIBYTE);
        Flux.fromIterable(open).flatMap(close, AT_ONCE).blockLast(PATIENCE);
    }

    /** Returns the number of platform threads. */
    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** Returns the bytes of the heap that are in use after a collection. Resident memory would include free heap. */
    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long registered() {
        return RdmaResources.shared().open().stream()
                .mapToLong(resources -> resources.registrationBudget().registered())
                .sum();
    }
}
