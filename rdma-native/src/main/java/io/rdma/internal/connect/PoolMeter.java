package io.rdma.internal.connect;

import io.rdma.connect.PoolMetrics;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Meter of a connection pool, which each front-end registers with Micrometer. docs/operate/observability.md lists them.
 *
 * @param name name of the meter
 * @param counts whether its value never decreases; otherwise the meter is a gauge
 * @param unit base unit
 * @param description text for people
 * @param value reads the present value
 */
public record PoolMeter(
        String name, boolean counts, String unit, String description, ToDoubleFunction<PoolMetrics> value) {
    private static final String CONNECTIONS = "connections";
    private static final String ACQUIRES = "acquires";
    private static final String CONNECTS = "connects";

    /** All meters of a pool. */
    public static final List<PoolMeter> ALL = List.of(
            gauge("connections.active", CONNECTIONS, "Connections in use", PoolMetrics::active),
            gauge("connections.idle", CONNECTIONS, "Connections that wait for use", PoolMetrics::idle),
            gauge("connections.max", CONNECTIONS, "Upper bound of the connections", PoolMetrics::maxConnections),
            gauge("acquires.pending", ACQUIRES, "Acquires that wait for a connection", PoolMetrics::pending),
            counter(
                    "acquires.exhausted",
                    ACQUIRES,
                    "Acquires that failed because all connections were in use",
                    PoolMetrics::exhausted),
            counter("connects.opened", CONNECTS, "Connections that were made", PoolMetrics::opened),
            counter("connects.failed", CONNECTS, "Attempts to connect that failed", PoolMetrics::failed));

    private static PoolMeter gauge(String name, String unit, String description, ToDoubleFunction<PoolMetrics> value) {
        return new PoolMeter("rdma.pool." + name, false, unit, description, value);
    }

    private static PoolMeter counter(
            String name, String unit, String description, ToDoubleFunction<PoolMetrics> value) {
        return new PoolMeter("rdma.pool." + name, true, unit, description, value);
    }
}
