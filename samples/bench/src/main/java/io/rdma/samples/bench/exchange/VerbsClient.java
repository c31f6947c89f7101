package io.rdma.samples.bench.exchange;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.IdleStrategy;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A client that measures the operations of a connection through the Reactor API, in the way perftest does. */
public final class VerbsClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine
    private static final int IN_FLIGHT = 128;

    private final RdmaResources resources;
    private final RdmaConnection connection;
    private final MemoryRegion memory;
    private final CompletableFuture<RemoteMemory> lent = new CompletableFuture<>();
    private @Nullable Turns turns; // during a ping-pong; set before the first message is sent

    /**
     * Connects.
     *
     * @param device name
     * @param idle idle strategy of the loop
     * @param host of the server
     * @param port of the server
     */
    public VerbsClient(String device, IdleStrategy idle, String host, int port) {
        resources = VerbsServer.resources(device, idle);
        connection = RdmaClient.create()
                .resources(resources)
                .host(host)
                .port(port)
                .receiveBuffers(VerbsServer.BUFFERS, VerbsServer.BUFFER_BYTES)
                .sendBuffers(VerbsServer.BUFFERS, VerbsServer.BUFFER_BYTES)
                .options(options -> options.withHandshakeTimeout(PATIENCE))
                .connectNow(PATIENCE);
        memory = Objects.requireNonNull(connection
                .allocate(
                        VerbsServer.MEMORY_BYTES + VerbsServer.BUFFER_BYTES,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE)
                .block(PATIENCE));
        connection
                .receive(message -> lent.isDone() || lent.complete(RemoteMemory.decode(message.segment())))
                .subscribe(
                        first -> {
                            Turns now = turns;
                            if (now != null) {
                                now.answered();
                            }
                        },
                        this::failed);
    }

    private void failed(Throwable error) {
        lent.completeExceptionally(error);
        Turns now = turns;
        if (now != null) {
            now.failed(error);
        }
    }

    private RemoteMemory remote(int size) throws Exception {
        return lent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).slice(0, size);
    }

    private static Consumer<MemorySegment> writer(byte[] message) {
        return target -> MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, message.length);
    }

    /**
     * Measures the latency of messages.
     *
     * @param size bytes of each
     * @param count number of messages
     * @return half the median of a turn, in microseconds, as ib_send_lat counts
     * @throws Exception if the connection fails
     */
    public double sendLatency(int size, int count) throws Exception {
        remote(0);
        Consumer<MemorySegment> writer = writer(Carrier.message(size, true));
        Turns now = new Turns(() -> connection.send(size, writer).subscribe(nothing -> {}, this::failed));
        turns = now;
        Histogram times = new Histogram(3);
        now.run(count, times);
        turns = null;
        return times.getValueAtPercentile(50) / 2e3;
    }

    /**
     * Measures the latency of writes in both directions. Each end polls its memory.
     *
     * @param size bytes of each
     * @param count number of writes
     * @return half the median of a turn, in microseconds, as ib_write_lat counts
     * @throws Exception if the connection fails
     */
    public double writeLatency(int size, int count) throws Exception {
        RemoteMemory target = remote(size);
        RemoteMemory inbox = memory.remote().slice(VerbsServer.MEMORY_BYTES, size);
        Histogram times = new Histogram(3);
        try (WriteTurns writes = new WriteTurns(connection, memory, 0, VerbsServer.MEMORY_BYTES, target)) {
            WriteRequest request = new WriteRequest(count, inbox);
            Turns now = new Turns(() -> {});
            turns = now;
            now.once(() -> connection.send(WriteRequest.BYTES, request::encode).subscribe(nothing -> {}, this::failed));
            turns = null;
            writes.ask(count, times);
        }
        if (times.getTotalCount() < count) {
            throw new IOException("the connection ended in the middle of a ping-pong of writes");
        }
        return times.getValueAtPercentile(50) / 2e3;
    }

    /**
     * Measures the latency of reads, one after the other.
     *
     * @param size bytes of each
     * @param count number of reads
     * @return median in microseconds
     * @throws Exception if the connection fails
     */
    public double readLatency(int size, int count) throws Exception {
        RemoteMemory source = remote(size);
        try (RegisteredBuffer target = RegisteredBuffer.of(memory, 0, size)) {
            return latency(() -> connection.read(source, target), count);
        }
    }

    /**
     * Measures the latency of additions to eight bytes of the server's memory, one after the other.
     *
     * @param count number of additions
     * @return median in microseconds
     * @throws Exception if the connection fails
     */
    public double atomicLatency(int count) throws Exception {
        RemoteMemory target = remote(Long.BYTES);
        return latency(() -> connection.fetchAndAdd(target, 1), count);
    }

    /**
     * Measures operations one at a time. Each starts when the previous one has completed, on the thread that signals
     * the completion.
     */
    private static double latency(Supplier<Mono<?>> operation, int count) throws Exception {
        Histogram times = new Histogram(3);
        Turns[] turns = new Turns[1];
        turns[0] = new Turns(() -> operation.get().subscribe(value -> {}, turns[0]::failed, turns[0]::answered));
        turns[0].run(count, times);
        return times.getValueAtPercentile(50) / 1e3;
    }

    /**
     * Measures the bandwidth of writes, with as many in flight as the send queue has entries. The first one is alone,
     * so that its completion starts the others: the loop posts and polls, as perftest's only thread does.
     *
     * @param size bytes of each
     * @param count number of writes
     * @return Gbit/s
     * @throws Exception if the connection fails
     */
    public double writeBandwidth(int size, int count) throws Exception {
        RemoteMemory target = remote(size);
        try (RegisteredBuffer source = RegisteredBuffer.of(memory, 0, size)) {
            long start = System.nanoTime();
            connection
                    .write(source, target)
                    .thenMany(Flux.range(1, count - 1).flatMap(i -> connection.write(source, target), IN_FLIGHT))
                    .then()
                    .block(PATIENCE);
            return 8.0 * size * count / (System.nanoTime() - start);
        }
    }

    /**
     * Measures the bandwidth of messages, which are encoded in place.
     *
     * @param size bytes of each
     * @param count number of messages
     * @return Gbit/s
     * @throws Exception if the connection fails
     */
    public double sendBandwidth(int size, int count) throws Exception {
        remote(0);
        Flux<Integer> messages = Flux.range(0, count);
        long start = System.nanoTime();
        connection
                .send(messages, (message, target) -> {
                    target.set(ValueLayout.JAVA_BYTE, 0, (byte) 0);
                    return size;
                })
                .block(PATIENCE);
        return 8.0 * size * count / (System.nanoTime() - start);
    }

    @Override
    public void close() {
        memory.close();
        connection.disposeNow(PATIENCE);
        resources.close();
    }
}
