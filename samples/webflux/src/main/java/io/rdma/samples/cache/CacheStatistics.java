package io.rdma.samples.cache;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

// Invariant: only the thread that takes snapshots uses the windows. Operations use only the recorders, which
// are thread-safe.

/**
 * Counts and durations of the operations. They are published as meters, and twice a second as a snapshot of the last
 * ten seconds for the page.
 */
@Component
final class CacheStatistics implements DisposableBean {
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final int PERIODS = 20;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int BARS = 20; // below 1 µs, below 2 µs and so on, up to half a second

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

    /** Key of the recorders. */
    private record Key(String transport, String operation) {}

    /** Recorder and window of one kind of operation over one transport. */
    private static final class Kind {
        final Recorder recorder = new Recorder(LONGEST_NANOS, 2);
        final Timer timer;
        final ArrayDeque<Histogram> window = new ArrayDeque<>();
        long total;

        Kind(Timer timer) {
            this.timer = timer;
        }

        void record(long nanos) {
            recorder.recordValue(Math.min(Math.max(0, nanos), LONGEST_NANOS));
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private final Map<Key, Kind> kinds = new LinkedHashMap<>(); // not changed after construction
    private final Counter tornReads;
    private final Counter lockWaits;
    private final Scheduler scheduler = Schedulers.newSingle("cache-statistics", true);
    private final Flux<Snapshot> snapshots;
    private volatile @org.jspecify.annotations.Nullable Disposable taking;

    CacheStatistics(MeterRegistry registry) {
        for (String operation : List.of("get", "put", "add")) {
            for (String transport : List.of(Cache.RDMA, Cache.TCP)) {
                kinds.put(
                        new Key(transport, operation),
                        new Kind(Timer.builder("cache.operations")
                                .description("From the subscription to the answer, retries included")
                                .tag("operation", operation)
                                .tag("transport", transport)
                                .register(registry)));
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
        Kind kind = Objects.requireNonNull(kinds.get(new Key(transport, operation)));
        return Mono.defer(() -> {
            long start = System.nanoTime();
            return mono.doOnSuccess(value -> kind.record(System.nanoTime() - start));
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
        List<Operation> operations = new ArrayList<>();
        kinds.forEach((key, kind) -> operations.add(operation(key, kind)));
        return new Snapshot(operations, (long) tornReads.count(), (long) lockWaits.count());
    }

    private static Operation operation(Key key, Kind kind) {
        Histogram latest = kind.recorder.getIntervalHistogram();
        kind.total += latest.getTotalCount();
        kind.window.add(latest);
        if (kind.window.size() > PERIODS) {
            kind.window.remove();
        }
        Histogram recent = new Histogram(LONGEST_NANOS, 2);
        kind.window.forEach(recent::add);
        double seconds = kind.window.size() * PERIOD.toMillis() / 1e3;
        return new Operation(
                key.operation(),
                key.transport(),
                kind.total,
                recent.getTotalCount() / seconds,
                recent.getValueAtPercentile(50) / 1e3,
                recent.getValueAtPercentile(99) / 1e3,
                recent.getMaxValue() / 1e3,
                bars(recent));
    }

    private static List<Long> bars(Histogram histogram) {
        long[] bars = new long[BARS];
        histogram.recordedValues().forEach(value -> {
            long micros = value.getValueIteratedTo() / 1000;
            bars[Math.min(BARS - 1, Long.SIZE - Long.numberOfLeadingZeros(micros))] +=
                    value.getCountAtValueIteratedTo();
        });
        return java.util.Arrays.stream(bars).boxed().toList();
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
