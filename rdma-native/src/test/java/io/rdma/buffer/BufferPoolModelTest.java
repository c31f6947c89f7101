package io.rdma.buffer;

import io.rdma.testing.Interleavings;
import io.rdma.testing.Stress;
import io.rdma.verbs.ModelVerbs;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Model of a pool with one buffer and three waiters. The buffer never has two owners, no waiter is forgotten, and the
 * pool is whole at the end.
 */
@Tag("model")
class BufferPoolModelTest {
    /** Event during the requests. */
    enum Beside {
        NOTHING,
        ABANDON,
        CLOSE
    }

    /** Waiter that returns the buffer at once, on the thread that serves it. */
    private static final class Wants extends BufferWaiter {
        private final AtomicInteger owners;
        private final CountDownLatch ended;
        final AtomicInteger ends = new AtomicInteger();

        Wants(AtomicInteger owners, CountDownLatch ended) {
            this.owners = owners;
            this.ended = ended;
        }

        @Override
        public void acquired(RegisteredBuffer buffer) {
            if (owners.incrementAndGet() != 1) {
                throw new AssertionError("two owners");
            }
            owners.decrementAndGet();
            buffer.close();
            end();
        }

        @Override
        public void failed(RuntimeException error) {
            end();
        }

        void end() {
            ends.incrementAndGet();
            ended.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(Beside.class)
    void everyWaiterEndsOnceAndThePoolIsWhole(Beside beside) {
        share(beside); // loads the classes, which would otherwise count in the model checker's time limit
        Interleavings.explore(Stress.times(25), () -> share(beside));
    }

    private static void share(Beside beside) {
        ModelVerbs device = new ModelVerbs();
        BufferPool pool = new BufferPool(device.context().allocateProtectionDomain(), 1, 8);
        AtomicInteger owners = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(3);
        Wants[] wants = {new Wants(owners, ended), new Wants(owners, ended), new Wants(owners, ended)};
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            Wants waiter = wants[i];
            threads[i] = new Thread(() -> pool.acquire(waiter));
            threads[i].start();
        }
        pool.acquire(wants[2]);
        if (beside == Beside.ABANDON && wants[2].abandon()) {
            wants[2].end();
        }
        if (beside == Beside.CLOSE) {
            pool.close();
        }
        try {
            ended.await();
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        for (Wants each : wants) {
            if (each.ends.get() != 1) {
                throw new AssertionError("ended " + each.ends + " times");
            }
        }
        if (pool.leased() != 0) {
            throw new AssertionError("leased " + pool.leased());
        }
        pool.close();
        if (device.regions() != 0) {
            throw new AssertionError("the slab is still registered");
        }
    }
}
