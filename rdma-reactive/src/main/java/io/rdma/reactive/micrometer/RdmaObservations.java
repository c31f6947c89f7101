package io.rdma.reactive.micrometer;

import io.micrometer.observation.ObservationRegistry;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Optional observations, one per operation: a timer, a span, or whatever the registry's handlers make of it. Costs some
 * allocations per operation; the meters of {@link RdmaMetrics} cost none.
 */
public final class RdmaObservations {
    /** Name of the observations. */
    public static final String NAME = "rdma.operation";

    /**
     * Only key that this library sets on an observation: {@code send}, {@code send_stream}, {@code write},
     * {@code read}, {@code fetch_and_add} and so on.
     */
    public static final String OPERATION = "rdma.operation.type";

    /**
     * Key of the accessor that Micrometer registers for context propagation. Its constant is not used, because that
     * would require the context propagation library.
     */
    static final String CONTEXT_KEY = "micrometer.observation";

    private RdmaObservations() {}

    /**
     * Returns a view of a connection whose operations are observed, from the subscription to the end. The parent is the
     * observation in the subscriber's Reactor context ({@code micrometer.observation}). Spring puts the observation of
     * a request there, so an operation in a WebFlux handler becomes a child of its request.
     *
     * <p>Received messages are not observed: a message has no duration.
     *
     * @param connection any connection
     * @param registry registry with handlers
     * @return a view; closing it closes the connection
     */
    public static RdmaConnection observe(RdmaConnection connection, ObservationRegistry registry) {
        return new ObservedConnection(
                Objects.requireNonNull(connection, "connection"), Objects.requireNonNull(registry, "registry"));
    }

    /**
     * Returns a client whose connections are observed, as {@link #observe(RdmaConnection, ObservationRegistry)} does.
     * While the registry has no handlers, a new connection is not observed and costs nothing. RSocket's transport does
     * not observe frames.
     *
     * @param client any client
     * @param registry registry of the application
     * @return a copy
     */
    public static RdmaClient observe(RdmaClient client, ObservationRegistry registry) {
        return client.mapConnection(observing(registry));
    }

    /**
     * Returns a server whose connections are observed, as {@link #observe(RdmaClient, ObservationRegistry)} does.
     *
     * @param server any server
     * @param registry registry of the application
     * @return a copy
     */
    public static RdmaServer observe(RdmaServer server, ObservationRegistry registry) {
        return server.mapConnection(observing(registry));
    }

    private static UnaryOperator<RdmaConnection> observing(ObservationRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        return connection -> registry.isNoop() ? connection : new ObservedConnection(connection, registry);
    }
}
