package io.rdma.reactive.spring;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

// Invariants
// - A handler is in `active` from its begin to its end, and none begins once `stopping` is set.
// - A stop calls back exactly once: when all handlers have ended or the time is up, and the server is closed.

/** Runs the server from start to stop of the context; a stop lets handlers end by themselves for some time. */
public final class RdmaServerLifecycle implements SmartLifecycle {
    private final RdmaServer server;
    private final RdmaConnectionHandler handler;
    private final Duration shutdownTimeout;
    private final Set<RdmaConnection> active = ConcurrentHashMap.newKeySet();
    private volatile @Nullable DisposableServer running;
    private volatile Sinks.@Nullable Empty<Void> stopping;

    RdmaServerLifecycle(RdmaServer server, RdmaConnectionHandler handler, Duration shutdownTimeout) {
        this.server = server;
        this.handler = handler;
        this.shutdownTimeout = shutdownTimeout;
    }

    /**
     * Where the server listens.
     *
     * @return with the real port
     * @throws IllegalStateException if it does not run
     */
    public InetSocketAddress address() {
        DisposableServer now = running;
        if (now == null) {
            throw new IllegalStateException(
                    "the server does not run: it does from the start of the context to its stop");
        }
        return now.address();
    }

    @Override
    public synchronized void start() {
        if (running == null) {
            stopping = null;
            running = server.handle(this::serve).bindNow(Duration.ofSeconds(30));
        }
    }

    private Publisher<Void> serve(RdmaConnection connection) {
        if (stopping != null) {
            return Mono.empty(); // which closes it
        }
        active.add(connection);
        return Flux.from(handler.handle(connection)).doFinally(how -> {
            active.remove(connection);
            ended();
        });
    }

    private void ended() {
        Sinks.Empty<Void> waiting = stopping;
        if (waiting != null && active.isEmpty()) {
            waiting.tryEmitEmpty();
        }
    }

    @Override
    public void stop() {
        stopped().block();
    }

    @Override
    public void stop(Runnable callback) {
        stopped().doFinally(how -> callback.run()).subscribe();
    }

    private synchronized Mono<Void> stopped() {
        DisposableServer now = running;
        if (now == null) {
            return Mono.empty();
        }
        running = null;
        Sinks.Empty<Void> waiting = Sinks.empty();
        stopping = waiting;
        ended(); // if there is none
        return waiting.asMono().timeout(shutdownTimeout, Mono.empty()).then(Mono.defer(() -> {
            now.dispose();
            return now.onDispose();
        }));
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }
}
