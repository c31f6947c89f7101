package io.rdma.samples.bench;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;

/** A measurement of large messages: their rate, and the time for which a send holds the thread that begins it. */
@Command(
        name = "large",
        mixinStandardHelpOptions = true,
        description = "Messages that the receiver reads from the sender's memory, one at a time, both ends in this JVM:"
                + " bytes a second, and the time for which the begin of a send holds its thread and the loop.")
final class LargeBench implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int MOST = 1 << 30;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--device", defaultValue = "soft0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "soft0";

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address of the device; default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
            names = "--mebibytes",
            split = ",",
            defaultValue = "1,16,256,1024",
            description = "Sizes of the messages, at most 1024; default: ${DEFAULT-VALUE}.")
    private List<Integer> mebibytes = List.of();

    @Option(
            names = "--total",
            defaultValue = "1024",
            description = "Mebibytes of each size in a round, but at least one message; default: ${DEFAULT-VALUE}.")
    private int total;

    @Override
    public Integer call() throws Exception {
        Results results = new Results("large");
        List<Integer> sizes = options.quick() ? List.of(1) : mebibytes;
        for (int round = 1; round <= options.rounds(); round++) {
            measure(sizes, results);
        }
        options.finish(results);
        return 0;
    }

    private void measure(List<Integer> sizes, Results results) throws Exception {
        try (RdmaResources servers = RdmaResources.open(RdmaDevices.named(device));
                RdmaResources clients = RdmaResources.open(RdmaDevices.named(device))) {
            CompletableFuture<RdmaConnection> accepted = new CompletableFuture<>();
            DisposableServer server = RdmaServer.create()
                    .resources(servers)
                    .host(host)
                    .port(0)
                    .options(o -> o.withMaxMessageSize(MOST))
                    .handle(connection -> {
                        accepted.complete(connection);
                        return connection.receive(message -> message.length()).then();
                    })
                    .bindNow(PATIENCE);
            RdmaConnection connection = RdmaClient.create()
                    .resources(clients)
                    .host(host)
                    .port(server.port())
                    .options(o -> o.withMaxMessageSize(MOST))
                    .connectNow(PATIENCE);
            try {
                MemoryRegion there =
                        value(accepted.join().allocate(Long.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
                for (int size : sizes) {
                    measure(connection, there.remote(), size, results);
                }
            } finally {
                connection.dispose();
                connection.onDispose().block(PATIENCE);
                server.disposeNow(PATIENCE);
            }
        }
    }

    private void measure(RdmaConnection connection, RemoteMemory there, int size, Results results) {
        String name = size + " MiB";
        try (Arena arena = Arena.ofShared()) {
            int bytes = size << 20;
            MemorySegment memory = arena.allocate(bytes, 4096);
            memory.fill((byte) 1);
            int messages = options.quick() ? 1 : Math.max(1, total / size);
            RegisteredBuffer leased = value(connection.register(memory));
            try (leased) {
                send(connection, leased).end().block(PATIENCE); // for the compilers, and the pages of the receiver
                long[] held = new long[messages];
                long start = System.nanoTime();
                for (int i = 0; i < messages; i++) {
                    Begun begun = send(connection, leased);
                    held[i] = begun.nanos();
                    begun.end().block(PATIENCE);
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                results.add(name + ", registered memory", "MB/s", messages * (double) bytes / 1e6 / seconds);
                results.add(name + ", a send holds its thread", "ms", median(held) / 1e6);
                for (int i = 0; i < held.length; i++) {
                    held[i] = onLoop(connection, leased, there);
                }
                results.add(name + ", a send holds the loop", "ms", median(held) / 1e6);
            }
            long start = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                connection.send(bytes, target -> target.copyFrom(memory)).block(PATIENCE);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            results.add(name + ", copied memory", "MB/s", messages * (double) bytes / 1e6 / seconds);
            connection.endpoint().registrations().invalidate(memory);
        }
    }

    /** Awaits a value. */
    private static <T> T value(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(PATIENCE));
    }

    /** Returns the median: the longest time is that for which the processor did other work. */
    private static long median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2];
    }

    /** A send that has begun: the time for which that held the thread, and the end of the send. */
    private record Begun(long nanos, Mono<Void> end) {}

    private static Begun send(RdmaConnection connection, RegisteredBuffer message) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Mono<Void> send = connection.send(message);
        long start = System.nanoTime();
        send.subscribe(nothing -> {}, end::completeExceptionally, () -> end.complete(null));
        return new Begun(System.nanoTime() - start, Mono.fromFuture(end));
    }

    /** Begins a send in a turn of the loop, which ends a write. Returns the time for which the loop was held. */
    private static long onLoop(RdmaConnection connection, RegisteredBuffer message, RemoteMemory there) {
        try (RegisteredBuffer small = value(connection.acquire())) {
            Begun begun = value(connection
                    .write(small.limit(Long.BYTES), there)
                    .then(Mono.fromCallable(() -> send(connection, message))));
            begun.end().block(PATIENCE);
            return begun.nanos();
        }
    }
}
