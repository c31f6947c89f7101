package io.rdma.samples.bench.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.IdleStrategy;
import io.rdma.engine.LoopCounters;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.Endpoint;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.bench.seam.Devices;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

// Invariant: one loop, which spins, completes both ends of every connection. A figure is therefore the work of one
// thread, and does not depend on how long another thread takes to wake up.

/** The opened immediate device, with memory to write from and to. */
public final class Seam implements AutoCloseable {
    /** Size of a write and of a message, in bytes. */
    public static final int BYTES = 64;
    /** Number of requests in flight when they are pipelined. */
    public static final int DEPTH = 128;
    /** Number of operations in one invocation of a benchmark. */
    public static final int BATCH = 131_072;

    /** Size of the buffers of a stream, in bytes: the default. */
    static final int BUFFER = ConnectionOptions.DEFAULT.sendBufferSize();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final MemoryRegion memory;
    private final RegisteredBuffer source;
    private final RemoteMemory target;

    /**
     * Opens the device.
     *
     * @param connections number of connections that will be made
     * @param depth of their send and receive queues
     */
    public Seam(int connections, int depth) {
        this(connections, depth, 256);
    }

    /**
     * Opens the device, with buffers of a size. Small messages share those of at least 1,024 bytes.
     *
     * @param connections number of connections that will be made
     * @param depth of their send and receive queues
     * @param bufferSize bytes of each send buffer and receive buffer
     */
    Seam(int connections, int depth, int bufferSize) {
        options = ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(depth))
                .withReceiveBuffers(depth, bufferSize)
                .withSendBuffers(depth, bufferSize);
        // Each connection has two ends with two queues each, and each queue needs some more entries for control frames.
        int entries = 4 * connections * (depth + 8);
        resources = RdmaResources.open(
                Devices.open().device(),
                ResourceOptions.DEFAULT.withCompletionQueueEntries(entries).withIdleStrategy(IdleStrategy.BUSY_SPIN));
        memory = resources.domain().allocate(2 * BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        source = RegisteredBuffer.of(memory, 0, BYTES);
        target = memory.remote().slice(BYTES, BYTES);
    }

    RdmaResources resources() {
        return resources;
    }

    ConnectionOptions options() {
        return options;
    }

    /**
     * Returns the source of writes.
     *
     * @return {@link #BYTES} long, readable by any number of writes at once
     */
    public RegisteredBuffer source() {
        return source;
    }

    /**
     * Returns the target of writes.
     *
     * @return {@link #BYTES} long
     */
    public RemoteMemory target() {
        return target;
    }

    LoopCounters counters() {
        return resources.counters().getFirst();
    }

    List<RdmaConnection> connect(int count) {
        DisposableServer server = serve(connection -> connection.onDispose());
        return IntStream.range(0, count).mapToObj(i -> connectTo(server.port())).toList();
    }

    /** Returns both ends of all connections. */
    List<Endpoint> endpoints() {
        return resources.endpoints().stream().map(Endpoint::of).toList();
    }

    DisposableServer serve(Function<RdmaConnection, Mono<Void>> handler) {
        return RdmaServer.create()
                .host("127.0.0.1")
                .port(0)
                .resources(resources)
                .options(ignored -> options)
                .handle(handler)
                .bindNow(PATIENCE);
    }

    RdmaConnection connectTo(int port) {
        return RdmaClient.create()
                .host("127.0.0.1")
                .port(port)
                .resources(resources)
                .options(ignored -> options)
                .connectNow(PATIENCE);
    }

    /** Decodes a message without allocating an object. */
    static Boolean decode(ReceivedMessage message) {
        return message.length() == BYTES;
    }

    @Override
    public void close() {
        source.close();
        memory.close();
        resources.close();
    }
}
