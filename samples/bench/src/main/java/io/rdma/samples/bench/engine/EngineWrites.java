package io.rdma.samples.bench.engine;

import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A benchmark of the engine without a front-end. The end of an operation submits the next one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineWrites {
    /**
     * Number of operations in one invocation. It is so large that the first operations, which another thread submits
     * one by one, do not affect the result, even with ten thousand endpoints.
     */
    static final int OPERATIONS = 64 * Seam.BATCH;

    /** Number of endpoints, and of operations in flight on each. An even number of them are connections' both ends. */
    @Param({"1x128", "1x1", "1x16", "100x16", "1000x16", "10000x16"})
    public String shape = "1x128";

    private final List<Endpoint> endpoints = new ArrayList<>();
    private int inFlight;
    private @Nullable Seam seam;

    /** Connects. */
    @Setup
    public void open() {
        String[] parts = shape.split("x");
        int ends = Integer.parseInt(parts[0]);
        inFlight = Integer.parseInt(parts[1]);
        int connections = (ends + 1) / 2;
        Seam opened = new Seam(connections, inFlight);
        seam = opened;
        opened.connect(connections);
        endpoints.clear();
        endpoints.addAll(opened.endpoints().subList(0, ends));
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        Objects.requireNonNull(seam).close();
    }

    /** Performs {@link #OPERATIONS} writes, spread over the connections. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void writes(Counted counted) throws InterruptedException {
        Seam open = Objects.requireNonNull(seam);
        WorkRequest request = WorkRequest.write(open.source(), open.target());
        counted.before(open.counters());
        Writes window = new Writes(endpoints, request, inFlight, counted);
        window.begin();
        window.await();
        counted.after(open.counters(), OPERATIONS);
    }

    /** A window with one operation object for each place. The object is submitted again when it has ended. */
    private static final class Writes extends Window {
        private final Write[] writes;

        Writes(List<Endpoint> endpoints, WorkRequest request, int inFlight, Counted counted) {
            super(endpoints.size() * inFlight, OPERATIONS, counted::ended);
            writes = new Write[endpoints.size() * inFlight];
            for (int place = 0; place < writes.length; place++) {
                writes[place] = new Write(endpoints.get(place / inFlight), request, this, place);
            }
        }

        @Override
        protected void start(int place) {
            Write write = writes[place];
            write.endpoint.submit(write);
        }
    }

    /** An operation that notifies its window of its end. */
    static final class Write extends Operation {
        private final Endpoint endpoint;
        private final Window window;
        private final int place;

        Write(Endpoint endpoint, WorkRequest request, Window window, int place) {
            super(request);
            this.endpoint = endpoint;
            this.window = window;
            this.place = place;
        }

        @Override
        protected void completed(long value) {
            window.completed(place);
        }

        @Override
        protected void failed(RuntimeException error) {
            window.failed(error);
        }
    }
}
