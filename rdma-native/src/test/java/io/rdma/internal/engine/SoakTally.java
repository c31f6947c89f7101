package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts of a soak test, and the mistakes that it found. Thread-safe. */
final class SoakTally {
    final LongAdder acquired = new LongAdder();
    final LongAdder released = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder given = new LongAdder();
    final LongAdder submitted = new LongAdder();
    final LongAdder succeeded = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder connections = new LongAdder();
    private final AtomicInteger mistakes = new AtomicInteger();
    private volatile AssertionError first;

    boolean isGood() {
        return first == null;
    }

    void wrong(String what, Throwable cause) {
        mistakes.incrementAndGet();
        synchronized (this) {
            if (first == null) {
                first = new AssertionError(what, cause);
            }
        }
    }

    void check(boolean holds, String what) {
        if (!holds) {
            wrong(what, null);
        }
    }

    void verify() {
        if (first != null) {
            throw new AssertionError(mistakes + " mistakes, the first: " + first.getMessage(), first);
        }
        assertThat(released.sum()).as("buffers released").isEqualTo(acquired.sum());
        assertThat(given.sum()).as("messages given back").isEqualTo(received.sum());
        assertThat(succeeded.sum() + failed.sum() + cancelled.sum())
                .as("operations ended")
                .isEqualTo(submitted.sum());
        assertThat(succeeded.sum()).isPositive();
    }

    @Override
    public String toString() {
        return connections + " connections, " + submitted + " operations (" + succeeded + " done, " + cancelled
                + " cancelled, " + failed + " ended with their connection), " + received + " messages, " + bytes
                + " bytes checked, " + acquired + " buffers";
    }
}
