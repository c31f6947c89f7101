package io.rdma.samples.latencies;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;

/**
 * Counts and durations of operations, as meters. The properties {@code management.metrics.distribution} choose their
 * percentiles, their bars, and how long a duration counts.
 */
public final class Latencies {
    /** Transport of an operation by RDMA. */
    public static final String RDMA = "rdma";

    /** Transport of an operation by TCP. */
    public static final String TCP = "tcp";

    private static final Duration PERIOD = Duration.ofMillis(500);

    /**
     * Statistics of one kind of operation over one transport, for the page.
     *
     * @param name of the kind of operation
     * @param transport RDMA or TCP
     * @param total since the start
     * @param percentiles of recent durations, in microseconds
     * @param max of recent durations, in microseconds
     * @param shorter number of recent durations below the limit of each bar
     */
    public record Operation(
            String name, String transport, long total, List<Double> percentiles, double max, List<Double> shorter) {}

    private final MeterRegistry registry;
    private final String meter;
    private final List<String> shown;

    /**
     * Creates the meters.
     *
     * @param registry registry of the meters
     * @param meter name of the meters
     * @param shown operations that the page shows
     */
    public Latencies(MeterRegistry registry, String meter, List<String> shown) {
        this.registry = registry;
        this.meter = meter;
        this.shown = List.copyOf(shown);
    }

    /**
     * Adds an operation.
     *
     * @param operation its kind
     * @param transport RDMA or TCP
     * @param duration its duration
     */
    public void record(String operation, String transport, Duration duration) {
        timer(operation, transport).record(duration);
    }

    private Timer timer(String operation, String transport) {
        return registry.timer(meter, "operation", operation, "transport", transport);
    }

    /**
     * Returns a snapshot at once, then twice a second. A slow subscriber misses some.
     *
     * @return without end
     */
    public Flux<List<Operation>> snapshots() {
        return Flux.interval(Duration.ZERO, PERIOD)
                .onBackpressureDrop()
                .map(tick -> shown.stream()
                        .flatMap(name -> Stream.of(RDMA, TCP).map(transport -> snapshot(name, transport)))
                        .toList());
    }

    private Operation snapshot(String name, String transport) {
        HistogramSnapshot recent = timer(name, transport).takeSnapshot();
        return new Operation(
                name,
                transport,
                recent.count(),
                Arrays.stream(recent.percentileValues())
                        .map(value -> value.value(TimeUnit.MICROSECONDS))
                        .toList(),
                recent.max(TimeUnit.MICROSECONDS),
                Arrays.stream(recent.histogramCounts())
                        .map(CountAtBucket::count)
                        .toList());
    }
}
