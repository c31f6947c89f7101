package io.rdma.samples.cache;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;

/**
 * Counts and durations of the operations, as meters. The properties {@code management.metrics.distribution} choose
 * their percentiles, their bars, and how long a duration counts.
 */
@Component
final class CacheStatistics {
    private static final Duration PERIOD = Duration.ofMillis(500);

    /**
     * Statistics of one kind of operation over one transport, for the page.
     *
     * @param total since the start
     * @param percentiles of recent durations, in microseconds
     * @param max of recent durations, in microseconds
     * @param shorter number of recent durations below the limit of each bar
     */
    record Operation(
            String name, String transport, long total, List<Double> percentiles, double max, List<Double> shorter) {}

    private final MeterRegistry registry;

    CacheStatistics(MeterRegistry registry) {
        this.registry = registry;
    }

    void record(String operation, String transport, Duration duration) {
        timer(operation, transport).record(duration);
    }

    private Timer timer(String operation, String transport) {
        return registry.timer("cache.operations", "operation", operation, "transport", transport);
    }

    /** Returns a snapshot at once, then twice a second. A slow subscriber misses some. */
    Flux<List<Operation>> snapshots() {
        return Flux.interval(Duration.ZERO, PERIOD)
                .onBackpressureDrop()
                .map(tick -> Stream.of("get", "put", "add")
                        .flatMap(name -> Stream.of(Cache.RDMA, Cache.TCP).map(transport -> snapshot(name, transport)))
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
