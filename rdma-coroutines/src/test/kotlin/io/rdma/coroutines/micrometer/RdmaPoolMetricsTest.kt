package io.rdma.coroutines.micrometer

import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import io.rdma.connect.PoolMetrics
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Meters of a pool: those of rdma-reactive, with the values of the pool's counters. */
class RdmaPoolMetricsTest {
    private val metrics =
        object : PoolMetrics {
            override fun active() = 1

            override fun idle() = 2

            override fun pending() = 3

            override fun maxConnections() = 4

            override fun opened() = 5L

            override fun failed() = 6L

            override fun exhausted() = 7L
        }

    @Test
    fun `each counter has a meter with its value`() {
        val registry = SimpleMeterRegistry()
        RdmaPoolMetrics("orders", metrics, listOf(Tag.of("zone", "a"))).bindTo(registry)
        val values = registry.meters.associate { it.id.name.removePrefix("rdma.pool.") to it.measure().single().value }
        assertThat(values).isEqualTo(
            mapOf(
                "connections.active" to 1.0,
                "connections.idle" to 2.0,
                "acquires.pending" to 3.0,
                "connections.max" to 4.0,
                "connects.opened" to 5.0,
                "connects.failed" to 6.0,
                "acquires.exhausted" to 7.0,
            ),
        )
        assertThat(registry.meters).allMatch { it.id.getTag("pool") == "orders" && it.id.getTag("zone") == "a" }
    }

    @Test
    fun `both front-ends have the same meters`() {
        val registry = SimpleMeterRegistry()
        RdmaPoolMetrics("orders", metrics).bindTo(registry)
        val reactive = SimpleMeterRegistry()
        io.rdma.reactive.micrometer
            .RdmaPoolMetrics("orders", metrics)
            .bindTo(reactive)
        assertThat(registry.meters.map { it.id }).containsExactlyInAnyOrderElementsOf(reactive.meters.map { it.id })
    }
}
