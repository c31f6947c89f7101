package io.rdma.reactive.spring;

import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.core.RSocketServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

/** Runs RSocket's server from start to stop of the context. A stop closes the connections: RSocket's last for as long as the clients want, so nothing is waited for. */
public final class RdmaRSocketServerLifecycle implements SmartLifecycle {
    private final RSocketServer rsocket;
    private final RdmaServerTransport transport;
    private volatile @Nullable RdmaCloseableServer running;

    RdmaRSocketServerLifecycle(RSocketServer rsocket, RdmaServerTransport transport) {
        this.rsocket = rsocket;
        this.transport = transport;
    }

    /**
     * Where the server listens.
     *
     * @return with the real port
     * @throws IllegalStateException if it does not run
     */
    public InetSocketAddress address() {
        RdmaCloseableServer now = running;
        if (now == null) {
            throw new IllegalStateException(
                    "the server does not run: it does from the start of the context to its stop");
        }
        return now.address();
    }

    @Override
    public synchronized void start() {
        if (running == null) {
            running = rsocket.bind(transport).block(Duration.ofSeconds(30));
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
        RdmaCloseableServer now = running;
        if (now == null) {
            return Mono.empty();
        }
        running = null;
        now.dispose();
        return now.onClose();
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }
}
