package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.TableOptions;
import java.time.Duration;

/**
 * One-sided structures that lie at the server of a run, and what each client does with them.
 *
 * @param kinds a bit for each kind of structure
 * @param count number of records, of buckets, of counters and of locks
 * @param capacity bytes of the longest value
 * @param leaseMillis lease of records and locks
 * @param threads of a client that work on them; the ring has one more
 * @param operations of each thread; 0 for none
 * @param places room of a ring, in units of 16 bytes
 */
public record StructurePlan(
        int kinds, int count, int capacity, int leaseMillis, int threads, int operations, int places) {
    /** Keys of a table. */
    static final int KEYS = 3;

    private static final int ONE_IN = 6; // plans
    private static final int HEADER = 64;
    private static final int ENTRY = 16; // bytes of an entry besides its content, and unit of places
    private static final int ALL = (1 << StructureKind.values().length) - 1;
    private static final int MOST_THREADS = 3;
    private static final int MOST_OPERATIONS = 12;
    private static final int SMALL_VALUE = 64;
    private static final int LARGE_VALUE = 1200; // a READ takes several packets, so it may be torn
    private static final int CONTENDED_ONE_IN = 4; // plans with structures
    private static final int MANY_OPERATIONS = 30;
    private static final int SPREAD = 190; // with less than LARGE_VALUE - SPREAD, the last image is in one packet
    private static final int LONGEST_LEASE = 40;
    private static final int LEAST_PLACES = 4;
    private static final int MOST_PLACES = 32;

    /** No structures. */
    public static final StructurePlan NONE = new StructurePlan(0, 1, StructureValue.LEAST_BYTES, 1, 1, 0, LEAST_PLACES);

    public StructurePlan {
        Bounds.atLeast(0, kinds, "kinds");
        Bounds.atLeast(1, count, "count");
        Bounds.atLeast(StructureValue.LEAST_BYTES, capacity, "capacity");
        Bounds.atLeast(1, leaseMillis, "leaseMillis");
        Bounds.atLeast(1, threads, "threads");
        Bounds.atLeast(0, operations, "operations");
        Bounds.atLeast(LEAST_PLACES, places, "places");
    }

    /** Draws structures. Most plans have none. */
    static StructurePlan draw(Choices choices) {
        return choices.oneIn(ONE_IN) ? of(choices) : NONE;
    }

    /** Draws structures that are used. */
    static StructurePlan of(Choices choices) {
        return choices.oneIn(CONTENDED_ONE_IN) ? contended(choices) : any(choices);
    }

    /**
     * Draws one large record that all threads use. Three puts may come in between the parts of a READ that is torn, so
     * that the image that its word names is another one at its end.
     */
    private static StructurePlan contended(Choices choices) {
        return new StructurePlan(
                1 << StructureKind.RECORDS.ordinal(),
                1,
                LARGE_VALUE - choices.below(SPREAD),
                LONGEST_LEASE,
                MOST_THREADS,
                MANY_OPERATIONS,
                LEAST_PLACES);
    }

    private static StructurePlan any(Choices choices) {
        return new StructurePlan(
                choices.oneIn(2) ? ALL : 1 << choices.below(StructureKind.values().length),
                1 + choices.below(2),
                StructureValue.LEAST_BYTES + choices.below(choices.oneIn(2) ? SMALL_VALUE : LARGE_VALUE),
                1 + choices.below(LONGEST_LEASE),
                1 + choices.below(MOST_THREADS),
                1 + choices.below(MOST_OPERATIONS),
                LEAST_PLACES + choices.below(MOST_PLACES - LEAST_PLACES + 1));
    }

    /** Returns whether packets should be lost, so that READs are torn. */
    boolean needsLosses() {
        return operations == MANY_OPERATIONS;
    }

    /** Returns whether the run has a structure of a kind. */
    boolean has(StructureKind kind) {
        return operations > 0 && kind.isIn(kinds);
    }

    /** Returns whether the run has any structure. */
    boolean isUsed() {
        return operations > 0 && (kinds & ALL) != 0;
    }

    RecordOptions records() {
        return RecordOptions.of(count, capacity).withLease(lease());
    }

    /** Returns the options of a table whose buckets have room for all keys. */
    TableOptions table() {
        return TableOptions.of(count, KEYS * (TableOptions.ENTRY_BYTES + 1 + capacity))
                .withLease(lease());
    }

    /** Returns the lease of records, tables and locks. */
    Duration lease() {
        return Duration.ofMillis(leaseMillis);
    }

    /** Returns the bytes of a send buffer that a client needs for a kind; the guide has those that no options have. */
    int largestRequest(StructureKind kind) {
        return switch (kind) {
            case RECORDS -> records().readBytes();
            case TABLE -> table().readBytes();
            case COUNTERS, LOCKS -> HEADER;
            case RING -> Math.max(HEADER, ringBytes() / 2);
        };
    }

    /** Returns the bytes of a send buffer that a client needs for all of it. */
    int largestRequest() {
        int largest = 0;
        for (StructureKind kind : StructureKind.values()) {
            largest = has(kind) ? Math.max(largest, largestRequest(kind)) : largest;
        }
        return largest;
    }

    /** Returns the bytes of the longest entry of a ring. */
    int longestEntry() {
        return ringBytes() / 2 - ENTRY;
    }

    /** Returns the bytes of a ring. */
    int ringBytes() {
        return places * ENTRY;
    }
}
