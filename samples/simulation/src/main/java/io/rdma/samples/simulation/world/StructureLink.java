package io.rdma.samples.simulation.world;

import io.rdma.structures.StructureLocation;
import io.rdma.structures.VersionedValue;
import org.jspecify.annotations.Nullable;

/** Structures of a peer as the programs of a run use them. The name of a call is its name in the story. */
public interface StructureLink {
    /** Opens a structure, so that the other calls use it. */
    Call<Void> open(String name, StructureKind kind, StructureLocation location);

    Call<VersionedValue> get(String name, int record);

    Call<Long> put(String name, int record, byte[] value, @Nullable Long expected);

    Call<VersionedValue> get(String name, byte[] key);

    Call<Long> put(String name, byte[] key, byte[] value, @Nullable Long expected);

    Call<Boolean> remove(String name, byte[] key, @Nullable Long expected);

    Call<Long> add(String name, int counter, long addend);

    /**
     * Acquires a lock.
     *
     * @param waits whether it waits until the lock is free; otherwise the result may be null
     */
    Call<StructureLease> acquire(String name, int lock, boolean waits);

    Call<Void> send(String name, byte[] entry);
}
