package io.rdma.reactive;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

// Invariants
// - `delivered` counts items that were delivered and not requested again. Any thread adds; the requesting thread alone
// subtracts, exactly what it requests: a count that other threads raise meanwhile is never lost.
// - The thread that takes `requesting` from 0 requests for all. It is taken from the start until the first request has
// returned: so requests come from one thread at a time (Reactive Streams 2.7), and none overtakes the first.

/** Demand of a stream on its publisher: so many items at first, then as many as were delivered, in batches. */
final class UpstreamDemand {
    private final int most;
    private final int batch;
    private final IntConsumer source;
    private final AtomicInteger delivered = new AtomicInteger();
    private final AtomicInteger requesting = new AtomicInteger(1); // until begin() has requested

    /**
     * Demand that has not begun.
     *
     * @param most items that are requested and not delivered, at most
     * @param source requests from the publisher; must not throw
     */
    UpstreamDemand(int most, IntConsumer source) {
        this.most = most;
        this.batch = Math.max(1, most / 4);
        this.source = source;
    }

    /** Requests the first items. Once. */
    void begin() {
        source.accept(most);
        requestDue();
    }

    /** Counts an item. Any thread. */
    void delivered() {
        if (delivered.incrementAndGet() >= batch && requesting.getAndIncrement() == 0) {
            requestDue();
        }
    }

    /** Requests for all threads; the caller has taken {@code requesting}. */
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
