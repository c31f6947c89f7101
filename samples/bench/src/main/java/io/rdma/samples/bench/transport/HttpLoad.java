package io.rdma.samples.bench.transport;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Client that gets bodies of one size by HTTP/1.1, over connections that stay open. */
public final class HttpLoad implements Load {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine

    private final ConnectionProvider connections;
    private final Mono<Integer> request;
    private final Mono<String> allocated;

    /**
     * Creates a client. It connects when it gets something.
     *
     * @param clients event loops
     * @param host of the server
     * @param port of the server
     * @param connections number of connections
     * @param size of each body
     */
    public HttpLoad(Clients clients, String host, int port, int connections, int size) {
        this.connections = ConnectionProvider.builder("bench")
                .maxConnections(connections)
                .pendingAcquireMaxCount(-1)
                .pendingAcquireTimeout(Duration.ZERO) // else a timer for each request: the next one begins before the
                // connection of the previous one is free
                .build();
        HttpClient client = HttpClient.create(this.connections)
                .runOn(clients.loops(), clients.transport().isNative())
                .host(host)
                .port(port);
        for (var option : clients.transport().options(clients.end()).entrySet()) {
            client = client.option(option.getKey(), option.getValue());
        }
        request = client.get()
                .uri("/" + size)
                .responseContent()
                .reduce(0, (sum, bytes) -> sum + bytes.readableBytes())
                .map(sum -> checked(sum, size));
        allocated = client.get()
                .uri(HttpServerProgram.ALLOCATED)
                .responseContent()
                .aggregate()
                .asString();
    }

    private static int checked(int received, int expected) {
        if (received != expected) {
            throw new IllegalStateException("a body has " + received + " bytes instead of " + expected);
        }
        return received;
    }

    @Override
    public void send(Consumer<@Nullable Throwable> ended) {
        request.subscribe(size -> ended.accept(null), ended::accept);
    }

    @Override
    public long allocatedByServer() {
        return Long.parseLong(Objects.requireNonNull(allocated.block(PATIENCE)));
    }

    @Override
    public void close() {
        connections.disposeLater().block(PATIENCE);
    }
}
