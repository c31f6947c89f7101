package io.rdma.samples.bench.engine;

import io.rdma.reactive.RdmaConnection;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A benchmark of {@code write} as a {@code Mono}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReactiveWrites {
    private @Nullable Seam seam;
    private @Nullable RdmaConnection connection;

    /** Connects. */
    @Setup
    public void open() {
        Seam opened = new Seam(1, Seam.DEPTH);
        seam = opened;
        connection = opened.connect(1).getFirst();
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        Objects.requireNonNull(seam).close();
    }

    /**
     * Writes with as many requests in flight as the send queue has entries. The subscribers are reused, so that all
     * allocation is the library's.
     */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void pipelined(Counted counted) throws InterruptedException {
        write(Seam.DEPTH, counted);
    }

    /** Writes one at a time: each write starts when the previous one has completed. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void oneAtATime(Counted counted) throws InterruptedException {
        write(1, counted);
    }

    /** Writes pipelined by {@code flatMap}, as an application would. The cost of {@code flatMap} is included. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void flatMap(Counted counted) {
        Seam open = Objects.requireNonNull(seam);
        RdmaConnection to = Objects.requireNonNull(connection);
        counted.before(open.counters());
        Flux.range(0, Seam.BATCH)
                .flatMap(i -> to.write(open.source(), open.target()), Seam.DEPTH)
                .blockLast();
        counted.after(open.counters());
    }

    private void write(int inFlight, Counted counted) throws InterruptedException {
        Seam open = Objects.requireNonNull(seam);
        Writes writes = new Writes(open, Objects.requireNonNull(connection), inFlight, counted);
        counted.before(open.counters());
        writes.begin();
        writes.await();
        counted.after(open.counters());
    }

    private static final class Writes extends Window {
        private final Seam seam;
        private final RdmaConnection connection;
        private final Writer[] writers;

        Writes(Seam seam, RdmaConnection connection, int inFlight, Counted counted) {
            super(inFlight, Seam.BATCH, counted::ended);
            this.seam = seam;
            this.connection = connection;
            writers = new Writer[inFlight];
            for (int place = 0; place < inFlight; place++) {
                writers[place] = new Writer(this, place);
            }
        }

        @Override
        protected void start(int place) {
            connection.write(seam.source(), seam.target()).subscribe(writers[place]);
        }
    }

    private static final class Writer implements CoreSubscriber<Void> {
        private final Writes writes;
        private final int place;

        Writer(Writes writes, int place) {
            this.writes = writes;
            this.place = place;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Void nothing) {}

        @Override
        public void onError(Throwable error) {
            writes.failed(error);
        }

        @Override
        public void onComplete() {
            writes.completed(place);
        }
    }
}
