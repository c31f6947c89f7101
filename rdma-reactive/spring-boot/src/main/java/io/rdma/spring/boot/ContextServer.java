package io.rdma.spring.boot;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

// Invariant: `running` is the server from a start to the next stop. Starts and stops exclude each other.

/**
 * Server that runs from the start of the context to its stop.
 *
 * @param <S> type of the listening server
 */
abstract class ContextServer<S> implements SmartLifecycle {
    /** Longest time that a start may take. */
    static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final Function<S, InetSocketAddress> addressOf;
    private volatile @Nullable S running;

    /**
     * Creates a server that does not run yet.
     *
     * @param addressOf returns the address that a server listens on
     */
    ContextServer(Function<S, InetSocketAddress> addressOf) {
        this.addressOf = addressOf;
    }

    /** Starts to listen. Called at most once before {@link #close}. */
    abstract S bind();

    /**
     * Ends the server. Called at most once after {@link #bind}.
     *
     * @return completes when the server has ended
     */
    abstract Mono<Void> close(S server);

    /**
     * Returns the address that the server listens on.
     *
     * @return address with the actual port
     * @throws IllegalStateException if the server does not run
     */
    public InetSocketAddress address() {
        S now = running;
        if (now == null) {
            throw new IllegalStateException(
                    "the server is not running: it runs from the start of the application context to its stop");
        }
        return addressOf.apply(now);
    }

    @Override
    public final synchronized void start() {
        if (running == null) {
            running = bind();
        }
    }

    @Override
    public final void stop() {
        stopped().block();
    }

    @Override
    public final void stop(Runnable callback) {
        stopped().doFinally(how -> callback.run()).subscribe();
    }

    private synchronized Mono<Void> stopped() {
        S now = running;
        if (now == null) {
            return Mono.empty();
        }
        running = null;
        return close(now);
    }

    @Override
    public final boolean isRunning() {
        return running != null;
    }
}
