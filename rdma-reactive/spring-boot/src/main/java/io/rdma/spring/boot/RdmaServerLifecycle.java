package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

// Invariants
// - A handler is in `active` from its start to its end, and no handler starts once `stopping` is set.
// - A stop calls back exactly once, when all handlers have ended or the time is up, and the server is closed.

/**
 * Life cycle of the server, which runs from the start of the context to its stop. A stop gives handlers some time to
 * end by themselves.
 */
public final class RdmaServerLifecycle extends RdmaContextServer<DisposableServer> {
    private final RdmaServer server;
    private final RdmaConnectionHandler handler;
    private final Duration shutdownTimeout;
    private final Set<RdmaConnection> active = ConcurrentHashMap.newKeySet();
    private volatile Sinks.@Nullable Empty<Void> stopping;

    RdmaServerLifecycle(
            RdmaServer server, RdmaConnectionHandler handler, Duration shutdownTimeout, RdmaResources resources) {
        super("rdma.server", DisposableServer::address, resources, () -> optionsOf(server));
        this.server = server;
        this.handler = handler;
        this.shutdownTimeout = shutdownTimeout;
    }

    @Override
    protected DisposableServer bind() {
        stopping = null;
        return server.handle(this::serve).bindNow(START_TIMEOUT);
    }

    private Publisher<Void> serve(RdmaConnection connection) {
        active.add(connection); // before the check: a stop that begins later finds it
        if (stopping != null) {
            ended(connection);
            return Mono.empty(); // an empty publisher, so the server closes the connection
        }
        return Flux.defer(() -> handler.handle(connection)).doFinally(how -> ended(connection));
    }

    private void ended(RdmaConnection connection) {
        active.remove(connection);
        endStopIfIdle();
    }

    private void endStopIfIdle() {
        Sinks.Empty<Void> waiting = stopping;
        if (waiting != null && active.isEmpty()) {
            waiting.tryEmitEmpty();
        }
    }

    @Override
    protected Mono<Void> close(DisposableServer listening) {
        Sinks.Empty<Void> waiting = Sinks.empty();
        stopping = waiting;
        endStopIfIdle(); // completes at once if no handler is active
        return waiting.asMono().timeout(shutdownTimeout, Mono.empty()).then(Mono.defer(() -> {
            listening.dispose();
            return listening.onDispose();
        }));
    }
}
