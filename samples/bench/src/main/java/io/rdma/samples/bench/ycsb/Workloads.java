package io.rdma.samples.bench.ycsb;

import java.util.Properties;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

// Proportions and distributions are those of the files workloada to workloadf of YCSB, as is the number of records.
// Workload E is left out: it scans ranges of keys.

/** The core workloads of YCSB that need no scan. */
public enum Workloads {
    /** Reads, and half as many updates and reads. */
    A("update heavy", 0.5, 0.5, 0, 0, "zipfian"),
    /** Few updates. */
    B("read mostly", 0.95, 0.05, 0, 0, "zipfian"),
    /** Reads alone. */
    C("read only", 1, 0, 0, 0, "zipfian"),
    /** Few inserts, and reads of what was inserted last. */
    D("read latest", 0.95, 0, 0.05, 0, "latest"),
    /** Half of the operations read a record and then update it. */
    F("read-modify-write", 0.5, 0, 0, 0.5, "zipfian");

    static final int RECORDS = 1_000;
    static final String TABLE = "usertable";
    static final int FIELDS = 10;
    static final int FIELD_BYTES = 100;

    private final String title;
    private final Properties properties = new Properties();

    Workloads(
            String title, double reads, double updates, double inserts, double readModifyWrites, String distribution) {
        this.title = title;
        set(CoreWorkload.READ_PROPORTION_PROPERTY, reads);
        set(CoreWorkload.UPDATE_PROPORTION_PROPERTY, updates);
        set(CoreWorkload.INSERT_PROPORTION_PROPERTY, inserts);
        set(CoreWorkload.READMODIFYWRITE_PROPORTION_PROPERTY, readModifyWrites);
        set(CoreWorkload.SCAN_PROPORTION_PROPERTY, 0);
        set(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, distribution);
        set(CoreWorkload.TABLENAME_PROPERTY, TABLE);
        set(CoreWorkload.FIELD_COUNT_PROPERTY, FIELDS);
        set(CoreWorkload.FIELD_LENGTH_PROPERTY, FIELD_BYTES);
        set(CoreWorkload.DATA_INTEGRITY_PROPERTY, true);
        set("recordcount", RECORDS);
        set("operationcount", RECORDS); // YCSB asks for it, although the runs end by time
    }

    private void set(String name, Object value) {
        properties.setProperty(name, value.toString());
    }

    /**
     * Makes the workload as it is after the load of its records, with their number and generators of keys.
     *
     * @return the workload
     */
    CoreWorkload begin() throws WorkloadException {
        Measurements.setProperties(properties); // read once in a JVM, before the first workload
        CoreWorkload workload = new CoreWorkload();
        workload.init(properties);
        return workload;
    }

    @Override
    public String toString() {
        return name() + " " + title;
    }
}
