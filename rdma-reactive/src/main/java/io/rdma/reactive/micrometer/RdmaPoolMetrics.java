package io.rdma.reactive.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdma.connect.PoolMetrics;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Meters of a connection pool, of either front-end. They read the pool's counters only when the registry samples them.
 * docs/operate/observability.md lists the name, unit and tags of each meter.
 *
 * <pre>{@code
 * new RdmaPoolMetrics("orders", pool.metrics()).bindTo(registry);
 * }</pre>
 */
public final class RdmaPoolMetrics implements MeterBinder {
    private final PoolMetrics metrics;
    private final Tags tags;

    /**
     * Creates the meters of one pool.
     *
     * @param name value of the tag {@code pool}
     * @param metrics counters of the pool; the registry holds them weakly
     */
    public RdmaPoolMetrics(String name, PoolMetrics metrics) {
        this(name, metrics, List.of());
    }

    /**
     * Creates the meters of one pool, with tags of the application.
     *
     * @param name value of the tag {@code pool}
     * @param metrics counters of the pool; the registry holds them weakly
     * @param tags added to each meter
     */
    public RdmaPoolMetrics(String name, PoolMetrics metrics, Iterable<Tag> tags) {
        this.metrics = metrics;
        this.tags = Tags.concat(tags, "pool", name);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "connections.active", BaseUnits.CONNECTIONS, "Connections in use", PoolMetrics::active);
        gauge(registry, "connections.idle", BaseUnits.CONNECTIONS, "Connections that wait for use", PoolMetrics::idle);
        gauge(
                registry,
                "connections.max",
                BaseUnits.CONNECTIONS,
                "Upper bound of the connections",
                PoolMetrics::maxConnections);
        gauge(registry, "acquires.pending", "acquires", "Acquires that wait for a connection", PoolMetrics::pending);
        counter(
                registry,
                "acquires.exhausted",
                "acquires",
                "Acquires that failed because all connections were in use",
                PoolMetrics::exhausted);
        counter(registry, "connects.opened", "connects", "Connections that were made", PoolMetrics::opened);
        counter(registry, "connects.failed", "connects", "Attempts to connect that failed", PoolMetrics::failed);
    }

    private void gauge(
            MeterRegistry registry, String name, String unit, String description, ToDoubleFunction<PoolMetrics> value) {
        Gauge.builder("rdma.pool." + name, metrics, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String unit, String description, ToDoubleFunction<PoolMetrics> value) {
        FunctionCounter.builder("rdma.pool." + name, metrics, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }
}
