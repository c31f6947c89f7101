package io.rdma.samples.bench.transport;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

// Invariants
// - So many requests are in progress all the time: each that ends is followed by the next one, on the thread that
// signals the end. After the deadline none follows, and the run ends with the last answer.
// - Nothing is allocated for a request.

/** Requests that are repeated for some time, a number of them at once. */
public final class Repeated {
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final Load load;
    private final Histogram times = new AtomicHistogram(LONGEST_NANOS, 3);
    private final LongAdder count = new LongAdder();
    private final CountDownLatch running;
    private final int atOnce;
    private long deadline;
    private volatile @Nullable Throwable failure;

    /**
     * Creates a run.
     *
     * @param load sends the requests
     * @param atOnce number of requests in progress
     */
    public Repeated(Load load, int atOnce) {
        this.load = load;
        this.atOnce = atOnce;
        running = new CountDownLatch(atOnce);
    }

    /**
     * Sends requests for some time, and waits for all answers. Called once.
     *
     * @param nanos time in which requests begin
     * @return nanoseconds from the first request to the last answer
     * @throws Exception if a request fails, or is not answered
     */
    public long run(long nanos) throws Exception {
        long start = System.nanoTime();
        deadline = start + nanos;
        for (int number = 0; number < atOnce; number++) {
            new Requester().next();
        }
        boolean ended = running.await(nanos + LONGEST_NANOS, TimeUnit.NANOSECONDS);
        long elapsed = System.nanoTime() - start;
        Throwable cause = failure;
        if (cause != null || !ended) {
            throw new IOException(cause == null ? "a request was not answered" : "a request failed", cause);
        }
        return elapsed;
    }

    /**
     * Returns the number of requests that were answered.
     *
     * @return number
     */
    public long count() {
        return count.sum();
    }

    /**
     * Returns the times from request to answer.
     *
     * @return in nanoseconds
     */
    public Histogram times() {
        return times;
    }

    /** One request in progress after the other. */
    private final class Requester {
        private long begun;

        private void next() {
            begun = System.nanoTime();
            load.send(this::ended);
        }

        private void ended(@Nullable Throwable cause) {
            long now = System.nanoTime();
            if (cause != null) {
                failure = cause;
            } else {
                times.recordValue(Math.min(now - begun, LONGEST_NANOS));
                count.increment();
                if (now - deadline < 0) {
                    next();
                    return;
                }
            }
            running.countDown();
        }
    }
}
