package io.rdma.reactive.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdma.connect.PoolMetrics;
import io.rdma.internal.connect.PoolMeter;
import java.util.List;

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
        for (PoolMeter meter : PoolMeter.ALL) {
            if (meter.counts()) {
                FunctionCounter.builder(meter.name(), metrics, meter.value())
                        .tags(tags)
                        .baseUnit(meter.unit())
                        .description(meter.description())
                        .register(registry);
            } else {
                Gauge.builder(meter.name(), metrics, meter.value())
                        .tags(tags)
                        .baseUnit(meter.unit())
                        .description(meter.description())
                        .register(registry);
            }
        }
    }
}
