package io.rdma.reactive.micrometer;

import io.micrometer.observation.ObservationRegistry;
import io.rdma.reactive.RdmaConnection;
import java.util.Objects;

/**
 * An observation for each operation, for who asks for it: a timer, a span, whatever the registry's handlers make of it.
 * Costs some allocations per operation; the meters of {@link RdmaMetrics} cost none.
 */
public final class RdmaObservations {
    /** Name of the observations. */
    public static final String NAME = "rdma.operation";

    /**
     * Their only key of this library's: {@code send}, {@code send_stream}, {@code write}, {@code read},
     * {@code fetch_and_add} and so on.
     */
    public static final String OPERATION = "rdma.operation.type";

    /**
     * Of the accessor that Micrometer registers with its context propagation; not its constant, which would need that
     * library.
     */
    static final String CONTEXT_KEY = "micrometer.observation";

    private RdmaObservations() {}

    /**
     * A view of a connection whose operations are observed, from the subscription to the end. The parent is the
     * observation in the subscriber's Reactor context ({@code micrometer.observation}), which Spring puts there; so an
     * operation in a WebFlux handler is a child of its request.
     *
     * <p>What arrives is not observed: a message has no duration.
     *
     * @param connection any
     * @param registry with handlers
     * @return a view; closing it closes the connection
     */
    public static RdmaConnection observe(RdmaConnection connection, ObservationRegistry registry) {
        return new ObservedConnection(
                Objects.requireNonNull(connection, "connection"), Objects.requireNonNull(registry, "registry"));
    }
}
