package io.rdma.samples.bench.engine;

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

/** A benchmark of {@code write} as a suspend function, which is resumed on the loop. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SuspendedWrites {
    private @Nullable Seam seam;
    private @Nullable SuspendedConnection connection;

    /** Connects. */
    @Setup
    public void open() {
        Seam opened = new Seam(1, Seam.DEPTH, Seam.BUFFER);
        seam = opened;
        connection = new SuspendedConnection(opened.resources(), opened.options());
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        Objects.requireNonNull(connection).close();
        Objects.requireNonNull(seam).close();
    }

    /** Writes by as many coroutines as the send queue has entries. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void pipelined(Counted counted) {
        write(Seam.DEPTH, counted);
    }

    /** Writes by one coroutine. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void oneAtATime(Counted counted) {
        write(1, counted);
    }

    /** Sends by {@code send(Flow)} to {@code incoming()}. An operation is a message. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void stream(Counted counted) {
        Seam open = Objects.requireNonNull(seam);
        counted.before(open.counters());
        Objects.requireNonNull(connection).stream(Seam.BATCH, open.source(), open.target(), counted);
        counted.after(open.counters());
    }

    private void write(int coroutines, Counted counted) {
        Seam open = Objects.requireNonNull(seam);
        counted.before(open.counters());
        Objects.requireNonNull(connection)
                .write(coroutines, Seam.BATCH / coroutines, open.source(), open.target(), counted);
        counted.after(open.counters());
    }
}
