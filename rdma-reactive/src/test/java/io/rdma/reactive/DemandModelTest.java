package io.rdma.reactive;

import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model test of the demand of a stream. While threads deliver and another one requests, every delivered batch is
 * requested again, one request at a time.
 */
@Tag("model")
class DemandModelTest {
    private static final int MOST = 4; // in batches of one

    @Test
    void noBatchIsLostAndNoRequestOverlapsAnother() {
        Lincheck.runConcurrentTest(2_000, DemandModelTest::deliver);
    }

    private static void deliver() {
        AtomicInteger requested = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        UpstreamDemand demand = new UpstreamDemand(MOST, items -> {
            if (inside.getAndIncrement() != 0) {
                overlaps.incrementAndGet();
            }
            requested.addAndGet(items);
            inside.decrementAndGet();
        });
        Thread other = new Thread(() -> demand.delivered(1));
        Thread third = new Thread(() -> demand.delivered(1));
        other.start();
        third.start();
        demand.begin();
        demand.delivered(1);
        try {
            other.join();
            third.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (requested.get() != MOST + 3) {
            throw new AssertionError("requested " + requested + " items, with " + (MOST + 3) + " due");
        }
        if (overlaps.get() != 0) {
            throw new AssertionError("a request during another one");
        }
    }
}
