package io.rdma.samples.bench.ycsb;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
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
     * @throws StoreException if a put fails
     * @throws Exception if YCSB refuses its properties
     */
    public void load() throws Exception {
        CoreWorkload workload = Workloads.C.begin();
        AtomicInteger begun = new AtomicInteger();
        inThreads("load", measured(), db -> {
            boolean more = begun.getAndIncrement() < Workloads.RECORDS;
            if (more) {
                workload.doInsert(db, this);
            }
            return more;
        });
    }

    /**
     * Runs a workload, and checks each row that it has read. Then removes what it has inserted.
     *
     * @param kind workload
     * @param nanos duration; the run ends earlier if the number of records has doubled
     * @return times of the operations
     * @throws DataIntegrityException if a row is wrong
     * @throws StoreException if an operation does not succeed
     * @throws Exception if YCSB refuses its properties
     */
    public Outcome run(Workloads kind, long nanos) throws Exception {
        CoreWorkload workload = kind.begin();
        List<MeasuredDb> measured = measured();
        Verifications before = Verifications.now();
        LongAdder operations = new LongAdder();
        AtomicInteger inserts = new AtomicInteger();
        long deadline = System.nanoTime() + nanos;
        long elapsed = inThreads(kind.toString(), measured, db -> {
            int inserted = db.inserted().size();
            workload.doTransaction(db, this);
            operations.increment();
            int more = db.inserted().size() - inserted;
            return inserts.addAndGet(more) <= Workloads.RECORDS - clients.size() && System.nanoTime() - deadline < 0;
        });
        Outcome outcome = Outcome.of(operations.sum(), elapsed, measured);
        verify(kind, Verifications.now().since(before), outcome.count(MeasuredDb.Operation.READ));
        remove(kind, measured);
        return outcome;
    }

    private List<MeasuredDb> measured() {
        return clients.stream().map(MeasuredDb::new).toList();
    }

    private long inThreads(String work, List<MeasuredDb> measured, ClientThreads.Step step) throws Exception {
        try {
            return ClientThreads.run(measured, step);
        } catch (StoreException e) {
            throw new StoreException(work + " on " + store + " failed: " + e.getMessage(), e.getCause());
        }
    }

    private void verify(Workloads kind, Map<String, Integer> verified, long reads) throws DataIntegrityException {
        if (!verified.equals(reads == 0 ? Map.of() : Map.of(Status.OK.getName(), (int) reads))) {
            throw new DataIntegrityException(
                    kind + " on " + store + ": of " + reads + " rows that were read YCSB found " + verified);
        }
    }

    private void remove(Workloads kind, List<MeasuredDb> measured) throws StoreException {
        for (MeasuredDb db : measured) {
            for (String key : db.inserted()) {
                Status status = db.delete(Workloads.TABLE, key);
                if (!status.isOk()) {
                    throw new StoreException(
                            "after " + kind + " on " + store + " the delete of " + key + " failed: " + status.getName(),
                            null);
                }
            }
        }
    }
}
