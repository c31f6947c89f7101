package io.rdma.samples.cache;

import java.time.Duration;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** The failure of an attempt that met a writer at its slot. The attempt is repeated after a short delay. */
final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1;

    Busy(String what) {
        super(what, null, false, false);
    }

    /** Returns the policy that repeats such attempts, for about half a minute. */
    static Retry retry() {
        return Retry.backoff(10_000, Duration.ofNanos(200_000))
                .maxBackoff(Duration.ofMillis(5))
                .filter(Busy.class::isInstance)
                .scheduler(Schedulers.parallel());
    }
}
