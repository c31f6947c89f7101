package io.rdma.coroutines.micrometer

import io.micrometer.core.instrument.FunctionCounter
import io.micrometer.core.instrument.Gauge
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.binder.MeterBinder
import io.rdma.connect.PoolMetrics
import io.rdma.internal.connect.PoolMeter

/**
 * Meters of a connection pool, as in rdma-reactive. They read the pool's counters only when the registry samples them.
 * docs/operate/observability.md lists the name, unit and tags of each meter. It needs `micrometer-core`; no other class
 * of this module does.
 *
 * ```
 * RdmaPoolMetrics("orders", pool.metrics).bindTo(registry)
 * ```
 *
 * @param name value of the tag `pool`
 * @param metrics counters of the pool; the registry holds them weakly
 * @param tags added to each meter
 */
public class RdmaPoolMetrics(
    name: String,
    private val metrics: PoolMetrics,
    tags: Iterable<Tag> = emptyList(),
) : MeterBinder {
    private val tags = Tags.concat(tags, "pool", name)

    /** Registers the meters with [registry]. */
    override fun bindTo(registry: MeterRegistry) {
        for (meter in PoolMeter.ALL) {
            if (meter.counts()) {
                FunctionCounter
                    .builder(meter.name(), metrics, meter.value())
                    .tags(tags)
                    .baseUnit(meter.unit())
                    .description(meter.description())
                    .register(registry)
            } else {
                Gauge
                    .builder(meter.name(), metrics, meter.value())
                    .tags(tags)
                    .baseUnit(meter.unit())
                    .description(meter.description())
                    .register(registry)
            }
        }
    }
}
