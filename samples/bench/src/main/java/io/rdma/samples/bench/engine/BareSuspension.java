package io.rdma.samples.bench.engine;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A benchmark of {@code suspendCancellableCoroutine} alone: the least that a suspended operation can cost. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BareSuspension {
    private final Suspensions suspensions = new Suspensions();

    /** Ends the coroutines. */
    @TearDown
    public void close() {
        suspensions.close();
    }

    /** Suspends and resumes {@link Seam#BATCH} times, by {@link Seam#DEPTH} coroutines. */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void suspensions(Counted counted) {
        counted.before();
        suspensions.run(Seam.DEPTH, Seam.BATCH / Seam.DEPTH);
        counted.after();
    }
}
