package io.rdma.samples.bench.engine;

import io.rdma.reactive.MessageEncoder;
import io.rdma.reactive.RdmaConnection;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
import reactor.core.publisher.Flux;

/**
 * A benchmark of the scoped {@code send(publisher, encoder)} to {@code receive(decoder)}, with both ends on one loop.
 * An operation is a message.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReactiveStream {
    private static final long PATIENCE_SECONDS = 60;
    private static final Flux<Boolean> ITEMS = Flux.fromArray(items()); // the cheapest of Reactor's sources
    private static final MessageEncoder<Boolean> ENCODER = (item, target) -> {
        target.asSlice(0, Seam.BYTES).fill((byte) 1);
        return Seam.BYTES;
    };

    private final AtomicReference<CountDownLatch> all = new AtomicReference<>(new CountDownLatch(1));
    private volatile @Nullable Counted counted;
    private int received; // (loop)
    private @Nullable Seam seam;
    private @Nullable RdmaConnection connection;

    /** Connects. */
    @Setup
    public void open() {
        Seam opened = new Seam(1, Seam.DEPTH, Seam.BUFFER);
        seam = opened;
        int port = opened.serve(client ->
                        client.receive(Seam::decode).doOnNext(this::count).then())
                .port();
        connection = opened.connectTo(port);
    }

    private static Boolean[] items() {
        Boolean[] items = new Boolean[Seam.BATCH];
        Arrays.fill(items, Boolean.TRUE);
        return items;
    }

    private void count(Boolean right) {
        if (!right) {
            throw new IllegalStateException("a received message does not have " + Seam.BYTES + " bytes");
        }
        if (++received == Seam.BATCH) {
            received = 0;
            Objects.requireNonNull(counted).ended();
            all.get().countDown();
        }
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        Objects.requireNonNull(seam).close();
    }

    /** Sends {@link Seam#BATCH} messages of 64 bytes. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void stream(Counted counted) throws InterruptedException {
        Seam open = Objects.requireNonNull(seam);
        CountDownLatch received = new CountDownLatch(1);
        this.counted = counted;
        all.set(received);
        counted.before(open.counters());
        Objects.requireNonNull(connection).send(ITEMS, ENCODER).block();
        if (!received.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not all messages arrived");
        }
        counted.after(open.counters());
    }
}
