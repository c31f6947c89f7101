package io.rdma.samples.bench.many;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.bench.engine.Window;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// Invariant: one loop completes both ends of every connection, so it alone calls the methods of a window.

/** Connections of a client and a server on {@code soft0}, with small buffers, receives that all share, and memory. */
public final class ManyConnections implements AutoCloseable {
    /** Size of a write and of a message, in bytes. */
    static final int BYTES = 64;

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final String HOST = "127.0.0.1";
    private static final int AT_ONCE = 64;
    private static final int DEPTH = 16;
    private static final int BUFFER_BYTES = 256;
    private static final int SPARE_RECEIVES = 1024;
    private static final int DEEPEST_QUEUE = 1 << 18; // of the device; the loop adds queues
    private static final int LINE = 64;
    private static final Consumer<MemorySegment> MESSAGE = target -> {};

    private final ConnectionOptions options;
    private final RdmaResources resources;
    private final MemoryRegion memory;
    private final int count;
    private final int inFlight;
    private final List<RdmaConnection> connections = new ArrayList<>();
    private final List<WorkRequest> writes = new ArrayList<>();
    private final List<RegisteredBuffer> sources = new ArrayList<>();
    private final DisposableServer server;
    private volatile @Nullable Window echoes;

    /**
     * Opens the device and binds the server.
     *
     * @param count number of connections that {@link #connect} makes
     * @param inFlight number of operations in flight on each
     * @param method of connecting
     */
    public ManyConnections(int count, int inFlight, ConnectMethod method) {
        this.count = count;
        this.inFlight = inFlight;
        options = ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(DEPTH))
                .withReceiveBuffers(DEPTH, BUFFER_BYTES)
                .withSendBuffers(inFlight, BUFFER_BYTES)
                .withHandshakeTimeout(PATIENCE)
                .withConnectMethod(method);
        int receives = 2 * count * inFlight + SPARE_RECEIVES;
        int sends = 2 * count * (DEPTH + EndpointOptions.CONTROL_SENDS);
        resources = RdmaResources.open(
                RdmaDevices.named("soft0"),
                ResourceOptions.DEFAULT
                        .withSharedReceiveBuffers(receives, BUFFER_BYTES)
                        .withCompletionQueueEntries(Math.min(receives + sends, DEEPEST_QUEUE)));
        memory = resources
                .domain()
                .allocate(2L * LINE * count, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        for (int i = 0; i < count; i++) {
            RegisteredBuffer source = RegisteredBuffer.of(memory, 2L * LINE * i, BYTES);
            sources.add(source);
            writes.add(WorkRequest.write(source, memory.remote().slice(2L * LINE * i + LINE, BYTES)));
        }
        server = RdmaServer.create()
                .host(HOST)
                .port(0)
                .resources(resources)
                .options(ignored -> options)
                .handle(this::echo)
                .bindNow(PATIENCE);
    }

    private Mono<Void> echo(RdmaConnection connection) {
        connection.receive(message -> message.length()).subscribe(length -> send(connection), this::failed);
        return connection.onDispose();
    }

    private void send(RdmaConnection connection) {
        connection.send(BYTES, MESSAGE).subscribe(nothing -> {}, this::failed);
    }

    private void failed(Throwable error) {
        Window now = echoes;
        if (now != null) {
            now.failed(error);
        }
    }

    /** Makes all connections, some of them at once. */
    public void connect() {
        RdmaClient client = RdmaClient.create()
                .host(HOST)
                .port(server.port())
                .resources(resources)
                .options(ignored -> options);
        List<RdmaConnection> made = Flux.range(0, count)
                .flatMap(number -> client.connect(), AT_ONCE)
                .collectList()
                .blockOptional(PATIENCE)
                .orElseThrow();
        connections.addAll(made);
        for (int i = 0; i < made.size(); i++) {
            int place = i * inFlight;
            made.get(i).receive(message -> message.length()).subscribe(length -> echoed(place), this::failed);
        }
    }

    private void echoed(int place) {
        Window now = echoes;
        if (now != null) {
            now.completed(place);
        }
    }

    /**
     * Returns the memory that is registered, with that of the receives that all connections share.
     *
     * @return bytes
     */
    public long registered() {
        return resources.registrationBudget().registered();
    }

    /**
     * Writes 64 bytes over all connections in turn.
     *
     * @param operations number of writes, at least as many as are in flight
     * @throws InterruptedException if the thread is interrupted
     */
    public void write(int operations) throws InterruptedException {
        List<Endpoint> endpoints = connections.stream()
                .map(connection -> Endpoint.of(connection.endpoint()))
                .toList();
        run(new Writes(endpoints, writes, inFlight, operations));
    }

    /**
     * Sends messages of 64 bytes over all connections in turn, each of which the server answers.
     *
     * @param operations number of messages, at least as many as are in flight
     * @throws InterruptedException if the thread is interrupted
     */
    public void echo(int operations) throws InterruptedException {
        Window window = new Window(count * inFlight, operations, () -> {}) {
            @Override
            protected void start(int place) {
                send(connections.get(place / inFlight));
            }
        };
        echoes = window;
        try {
            run(window);
        } finally {
            echoes = null;
        }
    }

    private static void run(Window window) throws InterruptedException {
        window.begin();
        window.await();
    }

    /** Disconnects all connections, some of them at once. */
    public void disconnect() {
        Flux.fromIterable(connections)
                .flatMap(RdmaConnection::disposeLater, AT_ONCE)
                .blockLast(PATIENCE);
        connections.clear();
    }

    @Override
    public void close() {
        server.disposeNow(PATIENCE);
        sources.forEach(RegisteredBuffer::close);
        memory.close();
        resources.close();
    }
}
