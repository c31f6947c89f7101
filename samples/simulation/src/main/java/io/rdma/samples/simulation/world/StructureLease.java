package io.rdma.samples.simulation.world;

/** Lease of a lock as the programs of a run use it. */
public interface StructureLease extends AutoCloseable {
    long token();

    boolean isHeld();

    Call<Boolean> renew(String name);

    Call<Boolean> release(String name);

    /** Releases a lock that came too late for the call that was to acquire it. */
    @Override
    void close();
}
