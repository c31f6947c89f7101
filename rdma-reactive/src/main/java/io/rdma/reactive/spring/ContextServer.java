package io.rdma.reactive.spring;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

// Invariant: `running` is the server from a start to the next stop; starts and stops exclude each other.

/**
 * A server that runs from start to stop of the context.
 *
 * @param <S> what listens
 */
abstract class ContextServer<S> implements SmartLifecycle {
    /** How long a start may take. */
    static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final Function<S, InetSocketAddress> addressOf;
    private volatile @Nullable S running;

    /** @param addressOf where it listens */
    ContextServer(Function<S, InetSocketAddress> addressOf) {
        this.addressOf = addressOf;
    }

    /** Has it listen. At most once before {@link #close}. */
    abstract S bind();

    /**
     * Has it end. At most once after {@link #bind}.
     *
     * @return completes when it has ended
     */
    abstract Mono<Void> close(S server);

    /**
     * Where the server listens.
     *
     * @return with the real port
     * @throws IllegalStateException if it does not run
     */
    public InetSocketAddress address() {
        S now = running;
        if (now == null) {
            throw new IllegalStateException(
                    "the server does not run: it does from the start of the context to its stop");
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
