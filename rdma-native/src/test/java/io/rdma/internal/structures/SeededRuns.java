package io.rdma.internal.structures;

import io.rdma.testing.Stress;
import java.util.function.LongFunction;

/** Random runs, one for each seed from 0 on. A failure names its seed. */
final class SeededRuns {
    private SeededRuns() {}

    /** One run. */
    interface Run extends AutoCloseable {
        @Override
        void close();
    }

    /** Actions of a run. */
    @FunctionalInterface
    interface Body<R> {
        void accept(R run) throws Exception;
    }

    /**
     * Makes runs and closes them.
     *
     * @param count number of runs in a usual build
     */
    static <R extends Run> void of(int count, LongFunction<R> begin, Body<R> body) {
        int runs = Stress.times(count);
        for (long seed = 0; seed < runs; seed++) {
            try (R run = begin.apply(seed)) {
                body.accept(run);
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
