package io.rdma.samples.simulation.world;

/** Kind of a one-sided structure. */
public enum StructureKind {
    RECORDS,
    TABLE,
    COUNTERS,
    LOCKS,
    RING;

    /** Returns whether a set of kinds, a bit for each, has this one. */
    boolean isIn(int kinds) {
        return (kinds >> ordinal() & 1) == 1;
    }
}
