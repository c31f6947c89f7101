package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaServer;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

// Invariant: `running` is the server from a start to the next stop. Starts and stops exclude each other.

/**
 * Server that runs from the start of the context to its stop. Its start logs where it listens, and warns if any host
 * can connect.
 *
 * @param <S> type of the listening server
 */
public abstract class RdmaContextServer<S> implements SmartLifecycle {
    /** Longest time that a start may take. */
    protected static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final String properties;
    private final Function<S, InetSocketAddress> addressOf;
    private final RdmaResources resources;
    private final Supplier<ConnectionOptions> options;
    private volatile @Nullable S running;

    /**
     * Creates a server that does not run yet.
     *
     * @param properties prefix of the properties with its host and port, such as {@code rdma.server}
     * @param addressOf returns the address that a server listens on
     * @param resources open device that it uses
     * @param options returns the options of its connections, once it listens
     */
    protected RdmaContextServer(
            String properties,
            Function<S, InetSocketAddress> addressOf,
            RdmaResources resources,
            Supplier<ConnectionOptions> options) {
        this.properties = properties;
        this.addressOf = addressOf;
        this.resources = resources;
        this.options = options;
    }

    /** Returns the options that a server has. A transport tells them only to a function that changes them. */
    static ConnectionOptions optionsOf(RdmaServer server) {
        AtomicReference<ConnectionOptions> seen = new AtomicReference<>();
        server.options(options -> {
            seen.set(options);
            return options;
        });
        return Objects.requireNonNull(seen.get());
    }

    /**
     * Starts to listen. Called at most once before {@link #close}.
     *
     * @return the listening server
     */
    protected abstract S bind();

    /**
     * Ends the server. Called at most once after {@link #bind}.
     *
     * @param server the listening server
     * @return completes when the server has ended
     */
    protected abstract Mono<Void> close(S server);

    /**
     * Returns whether clients authenticate themselves.
     *
     * @return unless overridden, whether the connections have TLS
     */
    protected boolean isAuthenticated() {
        return options.get().tls() != null;
    }

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
            S server = bound();
            running = server;
            ListeningReport.log(
                    properties, addressOf.apply(server), resources.context(), options.get(), isAuthenticated());
        }
    }

    private S bound() {
        try {
            return bind();
        } catch (RdmaConnectException e) {
            throw new ServerNotListeningException(properties, e);
        }
    }

    @Override
    public final void stop() {
        stopped().toFuture().join(); // block() would refuse some threads, behind which the server goes on
    }

    @Override
    public final void stop(Runnable callback) {
        stopped()
                .doFinally(how -> callback.run())
                .subscribe(
                        null,
                        e -> System.getLogger(RdmaContextServer.class.getName())
                                .log(Logger.Level.WARNING, "the server of " + properties + " did not end in order", e));
    }

    /**
     * Returns that a server is not stopped while a context is paused. The context of a test is paused while other tests
     * have another one, and a server that started again would listen at another port than its clients know.
     */
    @Override
    public boolean isPauseable() {
        return false;
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
