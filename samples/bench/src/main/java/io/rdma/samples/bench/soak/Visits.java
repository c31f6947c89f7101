package io.rdma.samples.bench.soak;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.samples.bench.exchange.VerbsServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// Invariant: each thread makes one visit at a time. All threads share the counters.

/**
 * A visitor that connects, performs each kind of operation, abandons some of them half-way, disconnects, and
 * starts again.
 */
final class Visits {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int OPERATIONS = 2_000; // in one visit
    private static final int IN_FLIGHT = 32;
    private static final int LARGEST = 16_384;
    /** Larger than a receive buffer, so the peer reads the message by RDMA. */
    private static final int LARGE = 3 * VerbsServer.BUFFER_BYTES;

    private final RdmaClient client;
    private final SplittableRandom random;
    private final LongAdder operations;

    Visits(RdmaClient client, SplittableRandom random, LongAdder operations) {
        this.client = client;
        this.random = random;
        this.operations = operations;
    }

    void visit() throws Exception {
        RdmaConnection connection = client.connectNow(PATIENCE);
        try {
            CompletableFuture<RemoteMemory> lent = new CompletableFuture<>();
            connection
                    .receive(message -> lent.isDone() || lent.complete(RemoteMemory.decode(message.segment())))
                    .subscribe(answer -> {}, lent::completeExceptionally);
            RemoteMemory remote = lent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            MemoryRegion local = Objects.requireNonNull(connection
                    .allocate(VerbsServer.MEMORY_BYTES, AccessFlag.LOCAL_WRITE)
                    .block(PATIENCE));
            Flux.range(0, OPERATIONS)
                    .flatMap(i -> anything(connection, local, remote), IN_FLIGHT)
                    .then(connection.send(Flux.range(0, OPERATIONS), (number, target) -> {
                        target.set(ValueLayout.JAVA_BYTE, 0, (byte) 0); // requests no answer
                        return 1 + number % (int) target.byteSize();
                    }))
                    .block(PATIENCE);
            operations.add(2 * OPERATIONS);
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }

    private Mono<?> anything(RdmaConnection connection, MemoryRegion local, RemoteMemory remote) {
        int size = 1 + random.nextInt(LARGEST);
        RemoteMemory there = remote.slice(random.nextInt(VerbsServer.MEMORY_BYTES - LARGEST), size);
        return switch (random.nextInt(64)) {
            case 0 -> connection.send(LARGE, MemorySegment::byteSize);
            case 1, 2 -> cancelled(connection, local, there);
            case 3, 4 -> borrowed(connection.acquire());
            case 5, 6, 7, 8 -> connection.fetchAndAdd(remote.slice(0, Long.BYTES), 1);
            case 9, 10, 11, 12 -> connection.send(Math.min(size, 64), VerbsServer::askForAnAnswer);
            default ->
                random.nextBoolean()
                        ? with(local, size, source -> connection.write(source, there))
                        : with(local, size, target -> connection.read(there, target));
        };
    }

    private <T> Mono<T> with(MemoryRegion local, int size, Function<RegisteredBuffer, Mono<T>> operation) {
        int offset = random.nextInt(VerbsServer.MEMORY_BYTES - LARGEST);
        return Mono.using(() -> RegisteredBuffer.of(local, offset, size), operation, RegisteredBuffer::close);
    }

    private Mono<?> cancelled(RdmaConnection connection, MemoryRegion local, RemoteMemory there) {
        return with(local, (int) there.length(), source -> connection.write(source, there))
                .take(Duration.ZERO);
    }

    private static Mono<?> borrowed(Mono<RegisteredBuffer> buffer) {
        return buffer.doOnNext(RegisteredBuffer::close);
    }
}
