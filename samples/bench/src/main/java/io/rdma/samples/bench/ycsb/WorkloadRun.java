package io.rdma.samples.bench.ycsb;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.workloads.CoreWorkload;

// YCSB's own client is not used: it ends the JVM if a store fails, and it does not fail if a row is wrong.

/** Runs of workloads on one store, with a thread for each of its clients. */
public final class WorkloadRun {
    private final String store;
    private final List<? extends DB> clients;

    /**
     * Creates runs.
     *
     * @param store name of the store, for errors
     * @param clients connected clients, of which each gets a thread
     */
    public WorkloadRun(String store, List<? extends DB> clients) {
        this.store = store;
        this.clients = clients;
    }

    /**
     * Puts the records of all workloads into the store.
     *
     * @throws Exception if a put fails
     */
    public void load() throws Exception {
        CoreWorkload workload = Workloads.C.begin();
        MeasuredDb db = new MeasuredDb(clients.getFirst());
        for (int record = 0; record < Workloads.RECORDS; record++) {
            workload.doInsert(db, this);
        }
        requireSuccess("load", db);
    }

    /**
     * Runs a workload, and checks each row that it has read. Then removes what it has inserted.
     *
     * @param kind workload
     * @param nanos duration; the run ends earlier if the number of records has doubled
     * @return times of the operations
     * @throws DataIntegrityException if a row is wrong
     * @throws Exception if the store fails
     */
    public Outcome run(Workloads kind, long nanos) throws Exception {
        CoreWorkload workload = kind.begin();
        List<MeasuredDb> measured = clients.stream().map(MeasuredDb::new).toList();
        Verifications before = Verifications.now();
        LongAdder operations = new LongAdder();
        long elapsed = inThreads(workload, measured, nanos, operations);
        Outcome outcome = Outcome.of(operations.sum(), elapsed, measured);
        for (MeasuredDb db : measured) {
            requireSuccess(kind.toString(), db);
        }
        verify(kind, Verifications.now().since(before), outcome.count(MeasuredDb.Operation.READ));
        remove(kind, measured);
        return outcome;
    }

    private long inThreads(CoreWorkload workload, List<MeasuredDb> measured, long nanos, LongAdder operations)
            throws Exception {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicInteger inserts = new AtomicInteger();
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = measured.stream()
                .map(db -> Thread.ofPlatform().name("ycsb").start(() -> {
                    try {
                        begin.await();
                        int inserted = 0;
                        long start = System.nanoTime();
                        do {
                            workload.doTransaction(db, this);
                            operations.increment();
                            if (db.inserted().size() > inserted) {
                                inserted++;
                                inserts.incrementAndGet();
                            }
                        } while (System.nanoTime() - start < nanos
                                && inserts.get() <= Workloads.RECORDS - measured.size()
                                && db.failure() == null
                                && failure.get() == null);
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
            throw new IOException(store + " failed: " + wrong, wrong);
        }
        return elapsed;
    }

    private void requireSuccess(String work, MeasuredDb db) throws IOException {
        if (db.failure() != null) {
            throw new IOException(work + " on " + store + " failed: " + db.failure());
        }
    }

    private void verify(Workloads kind, Map<String, Integer> verified, long reads) throws DataIntegrityException {
        if (!verified.equals(reads == 0 ? Map.of() : Map.of(Status.OK.getName(), (int) reads))) {
            throw new DataIntegrityException(
                    kind + " on " + store + ": of " + reads + " rows that were read YCSB found " + verified);
        }
    }

    private void remove(Workloads kind, List<MeasuredDb> measured) throws IOException {
        for (MeasuredDb db : measured) {
            for (String key : db.inserted()) {
                Status status = db.delete(Workloads.TABLE, key);
                if (!status.isOk()) {
                    throw new IOException("after " + kind + " on " + store + " the delete of " + key + " failed: "
                            + status.getName());
                }
            }
        }
    }
}
