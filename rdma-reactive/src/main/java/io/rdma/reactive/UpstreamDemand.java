package io.rdma.reactive;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

// Invariants
// - `delivered` counts items that were delivered and not requested again. Any thread adds to it. The requesting thread
// subtracts exactly the number that it requests, so a concurrent increment is never lost. Where the demand becomes
// smaller, the count may be negative for a time.
// - The thread that takes `requesting` from 0 requests for all threads. It is taken from the start until the first
// request has returned. Therefore requests come from one thread at a time (Reactive Streams 2.7), and none overtakes
// the first.

/**
 * Demand of a stream on its publisher: a fixed number of items at first, then as many as were delivered, in batches.
 */
final class UpstreamDemand {
    private final int most;
    private final int batch;
    private final IntConsumer source;
    private final AtomicInteger delivered = new AtomicInteger();
    private final AtomicInteger requesting = new AtomicInteger(1); // until begin() has requested

    /**
     * Creates demand that has not begun.
     *
     * @param most largest number of items that are requested and not delivered
     * @param source requests from the publisher; must not throw
     */
    UpstreamDemand(int most, IntConsumer source) {
        this.most = most;
        this.batch = Math.max(1, most / 4);
        this.source = source;
    }

    /** Requests the first items. Called once. */
    void begin() {
        source.accept(most);
        requestDue();
    }

    /**
     * Counts delivered items. Or changes the demand: by a number that is not delivered it is larger from now on, by a
     * negative one smaller, when so many were delivered. Any thread.
     */
    void delivered(int items) {
        if (delivered.addAndGet(items) >= batch && requesting.getAndIncrement() == 0) {
            requestDue();
        }
    }

    /** Requests the items that are due, for all threads. The caller has taken {@code requesting}. */
    private void requestDue() {
        int missed = 1;
        do {
            int due = delivered.get();
            if (due >= batch) {
                delivered.addAndGet(-due);
                source.accept(due);
            }
            missed = requesting.addAndGet(-missed);
        } while (missed != 0);
    }
}
