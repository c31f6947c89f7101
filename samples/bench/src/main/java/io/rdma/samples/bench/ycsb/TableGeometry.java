package io.rdma.samples.bench.ycsb;

import io.rdma.structures.TableOptions;

// A get reads a whole bucket three times, so buckets should be small. A put is refused if its bucket is full, so they
// should be many. With eight buckets for each record of the load and room for four records in each, no bucket is full
// before the number of records has doubled; WorkloadRunTest shows it. Keys are the same in each run.

/** The size of the table. */
final class TableGeometry {
    private static final int BUCKETS_FOR_A_RECORD = 8;
    private static final int RECORDS_IN_A_BUCKET = 4;
    /** Longest key: the name of the table, a stroke, "user", and 19 digits. */
    private static final int KEY_BYTES = (Workloads.TABLE + "/user").length() + 19;

    private static final int VALUE_BYTES =
            Fields.encodedBytes(Workloads.FIELDS, "field0".length(), Workloads.FIELD_BYTES);
    private static final int BUCKET_BYTES = RECORDS_IN_A_BUCKET * (TableOptions.ENTRY_BYTES + KEY_BYTES + VALUE_BYTES);

    private TableGeometry() {}

    static TableOptions options() {
        return TableOptions.of(BUCKETS_FOR_A_RECORD * Workloads.RECORDS, BUCKET_BYTES);
    }
}
