package io.rdma.samples.cache;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Counts and durations of the operations, as meters. Twice a second the page gets a snapshot of their last ten seconds.
 */
@Component
final class CacheStatistics implements DisposableBean {
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final Duration WINDOW = Duration.ofSeconds(10);

    /** Upper limits of the bars: 1 µs, 2 µs and so on, up to half a second, and one that no operation reaches. */
    private static final Duration[] BARS = Stream.concat(
                    IntStream.range(0, 19).mapToObj(i -> Duration.ofNanos(1000L << i)),
                    Stream.of(Duration.ofMinutes(1)))
            .toArray(Duration[]::new);

    /**
     * Statistics of one kind of operation over one transport.
     *
     * @param total since the start
     * @param perSecond in the last ten seconds
     * @param p50 median in microseconds
     * @param p99 99th percentile in microseconds
     * @param max maximum in microseconds
     * @param bars number of operations that took less than 1 µs, less than 2 µs, less than 4 µs and so on, each counted
     *     once; the last element counts all longer ones
     */
    record Operation(
            String name,
            String transport,
            long total,
            double perSecond,
            double p50,
            double p99,
            double max,
            List<Long> bars) {}

    /** The data that the page shows. */
    record Snapshot(List<Operation> operations, long tornReads, long lockWaits) {}

    /** Key of the timers. */
    private record Key(String transport, String operation) {}

    private final Map<Key, Timer> timers = new LinkedHashMap<>(); // not changed after construction
    private final long start = System.nanoTime();
    private final Counter tornReads;
    private final Counter lockWaits;
    private final Scheduler scheduler = Schedulers.newSingle("cache-statistics", true);
    private final Flux<Snapshot> snapshots;
    private volatile @org.jspecify.annotations.Nullable Disposable taking;

    CacheStatistics(MeterRegistry registry) {
        for (String operation : List.of("get", "put", "add")) {
            for (String transport : List.of(Cache.RDMA, Cache.TCP)) {
                timers.put(
                        new Key(transport, operation),
                        Timer.builder("cache.operations")
                                .description("From the subscription to the answer, retries included")
                                .tag("operation", operation)
                                .tag("transport", transport)
                                .publishPercentiles(0.5, 0.99)
                                .percentilePrecision(2)
                                .serviceLevelObjectives(BARS)
                                .distributionStatisticExpiry(WINDOW)
                                .distributionStatisticBufferLength((int) WINDOW.dividedBy(PERIOD))
                                .register(registry));
            }
        }
        tornReads = Counter.builder("cache.reads.torn")
                .description("Reads that a write came in between")
                .register(registry);
        lockWaits = Counter.builder("cache.locks.waited")
                .description("Times that a writer found its slot taken")
                .register(registry);
        snapshots = Flux.interval(PERIOD, scheduler)
                .onBackpressureDrop()
                .map(tick -> snapshot())
                .replay(1)
                .autoConnect(0, connected -> taking = connected);
    }

    /** Returns the same operation, which also records its duration if it succeeds. */
    <T> Mono<T> timed(String transport, String operation, Mono<T> mono) {
        Timer timer = Objects.requireNonNull(timers.get(new Key(transport, operation)));
        return Mono.defer(() -> {
            long begun = System.nanoTime();
            return mono.doOnSuccess(value -> timer.record(System.nanoTime() - begun, TimeUnit.NANOSECONDS));
        });
    }

    void tornRead() {
        tornReads.increment();
    }

    void lockWait() {
        lockWaits.increment();
    }

    /** Returns the last snapshot at once, then each new one. A slow subscriber misses some. */
    Flux<Snapshot> snapshots() {
        return snapshots.onBackpressureLatest();
    }

    private Snapshot snapshot() {
        double seconds = Math.min(WINDOW.toNanos(), System.nanoTime() - start) / 1e9;
        List<Operation> operations = new ArrayList<>();
        timers.forEach((key, timer) -> operations.add(operation(key, timer.takeSnapshot(), seconds)));
        return new Snapshot(operations, (long) tornReads.count(), (long) lockWaits.count());
    }

    private static Operation operation(Key key, HistogramSnapshot recent, double seconds) {
        List<Long> bars = new ArrayList<>();
        double shorter = 0;
        for (CountAtBucket bucket : recent.histogramCounts()) { // each counts all that are shorter than its limit
            bars.add((long) (bucket.count() - shorter));
            shorter = bucket.count();
        }
        return new Operation(
                key.operation(),
                key.transport(),
                recent.count(),
                shorter / seconds,
                recent.percentileValues()[0].value(TimeUnit.MICROSECONDS),
                recent.percentileValues()[1].value(TimeUnit.MICROSECONDS),
                recent.max(TimeUnit.MICROSECONDS),
                bars);
    }

    @Override
    public void destroy() {
        Disposable now = taking;
        if (now != null) {
            now.dispose();
        }
        scheduler.dispose();
    }
}
