package io.rdma.samples.bench.ycsb;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that begin together, one for each client of a store. */
final class ClientThreads {
    private ClientThreads() {}

    /** One operation of a client. */
    interface Step {
        /** Executes the operation, and returns whether another one follows. */
        boolean execute(MeasuredDb db);
    }

    /**
     * Repeats a step on each client, until it returns false, an operation does not succeed, or a client fails.
     *
     * @return nanoseconds from the begin of the first thread to the end of the last one
     * @throws StoreException if a client fails
     */
    static long run(List<MeasuredDb> clients, Step step) throws InterruptedException, StoreException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = clients.stream()
                .map(db -> Thread.ofPlatform().name("ycsb").start(() -> {
                    try {
                        begin.await();
                        boolean more = true;
                        while (more && db.failure() == null && failure.get() == null) {
                            more = step.execute(db);
                        }
                    } catch (Throwable t) {
                        failure.compareAndSet(null, t);
                    }
                }))
                .toList();
        long start = System.nanoTime();
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        long elapsed = System.nanoTime() - start;
        Throwable wrong = failure.get();
        if (wrong != null) {
            throw new StoreException("a client failed: " + wrong, wrong);
        }
        for (MeasuredDb db : clients) {
            if (db.failure() != null) {
                throw new StoreException(db.failure(), null);
            }
        }
        return elapsed;
    }
}
