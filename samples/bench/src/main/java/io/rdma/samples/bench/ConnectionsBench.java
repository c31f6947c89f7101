package io.rdma.samples.bench;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.RdmaSharedResources;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** A measurement of the cost of many connections of one client, beside that of TCP with Reactor Netty. */
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
    private static final String SOFT = "soft0";
    private static final String NETTY = "Reactor Netty";
    private static final String TIME = ", time to connect";
    private static final String THREADS = ", threads of its own";
    private static final String MEMORY = ", heap and buffers";

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
        for (String quantity : List.of(TIME, THREADS, MEMORY)) {
            results.compare(SOFT + quantity, NETTY + quantity);
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
        measure(
                results,
                SOFT,
                "rdma-",
                ConnectionsBench::registered,
                number -> client.connect(),
                RdmaConnection::disposeLater);
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
                "soft0 with a device each",
                "rdma-",
                ConnectionsBench::registered,
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
        measure(
                results,
                NETTY,
                "reactor-tcp-",
                ConnectionsBench::nettyBuffers,
                number -> client.connect(),
                connection -> {
                    connection.dispose();
                    return connection.onDispose();
                });
        server.disposeNow(PATIENCE);
    }

    /**
     * Makes all connections, counts what the process has more than before, and closes them.
     *
     * @param threads beginning of the names of the threads that carry the connections
     * @param buffers bytes of native memory for messages
     */
    private <T> void measure(
            Results results,
            String name,
            String threads,
            LongSupplier buffers,
            Function<Integer, Mono<? extends T>> connect,
            Function<? super T, Mono<Void>> close)
            throws IOException {
        ProcessCost before = ProcessCost.now();
        long buffersBefore = buffers.getAsLong();
        long start = System.nanoTime();
        List<T> open = Flux.range(0, count())
                .<T>flatMap(connect, AT_ONCE)
                .collectList()
                .blockOptional(PATIENCE)
                .orElseThrow();
        results.add(name + TIME, "ms", (System.nanoTime() - start) / 1e6);
        ProcessCost after = ProcessCost.now();
        results.add(name + THREADS, "threads", threads(threads));
        results.add(
                name + ", threads started by the connects", "threads", Math.max(0, after.threads() - before.threads()));
        results.add(name + ", descriptors", "files", after.descriptors() - before.descriptors());
        double heapNow = (after.heap() - before.heap()) / MEBIBYTE;
        double buffersNow = (buffers.getAsLong() - buffersBefore) / MEBIBYTE;
        results.add(name + ", heap", "MiB", heapNow);
        results.add(name + MEMORY, "MiB", heapNow + buffersNow);
        Flux.fromIterable(open).flatMap(close, AT_ONCE).blockLast(PATIENCE);
    }

    /** Returns the number of platform threads whose names begin so. */
    private static long threads(String beginning) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(beginning))
                .count();
    }

    private static long nettyBuffers() {
        return ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider counted
                ? counted.metric().usedDirectMemory()
                : 0;
    }

    private static long registered() {
        return RdmaResources.shared().open().stream()
                .mapToLong(resources -> resources.registrationBudget().registered())
                .sum();
    }
}
