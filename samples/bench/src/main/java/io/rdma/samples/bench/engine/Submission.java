package io.rdma.samples.bench.engine;

import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

/**
 * A benchmark of threads that submit to one connection, which the loop completes. JMH starts the threads. The result
 * counts the operations of all threads together.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class Submission {
    /** Number of operations in one invocation by one thread. */
    private static final int PART = 4096;
    /** Number of operations in flight of one thread. */
    private static final int OWN = 32;

    private @Nullable Seam seam;
    private @Nullable Endpoint endpoint;

    /** Connects. */
    @Setup
    public void open() {
        Seam opened = new Seam(1, Seam.DEPTH);
        seam = opened;
        endpoint = Endpoint.of(opened.connect(1).getFirst().endpoint());
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        Objects.requireNonNull(seam).close();
    }

    /** Writes 64 bytes at a time. A thread yields when its share is in flight. */
    @Benchmark
    @OperationsPerInvocation(PART)
    public void writes() {
        Seam open = Objects.requireNonNull(seam);
        Endpoint to = Objects.requireNonNull(endpoint);
        WorkRequest request = WorkRequest.write(open.source(), open.target());
        AtomicInteger completed = new AtomicInteger();
        for (int submitted = 0; submitted < PART; submitted++) {
            await(completed, submitted - OWN + 1);
            to.submit(new Write(request, completed));
        }
        await(completed, PART);
    }

    private static void await(AtomicInteger completed, int least) {
        while (completed.get() < least) {
            Thread.yield();
        }
    }

    private static final class Write extends Operation {
        private final AtomicInteger completed;

        Write(WorkRequest request, AtomicInteger completed) {
            super(request);
            this.completed = completed;
        }

        @Override
        protected void completed(long value) {
            completed.lazySet(completed.getPlain() + 1); // only the loop writes it
        }

        @Override
        protected void failed(RuntimeException error) {
            throw new IllegalStateException(error);
        }
    }
}
