package io.rdma.internal.engine;

import io.rdma.types.DeviceCapability;
import io.rdma.types.PlacementType;
import io.rdma.types.WorkRequestOpcode;
import java.util.Set;

/**
 * The memory placement extensions, IB specification volume 1, annex A19, that one side or both sides of a connection
 * have.
 *
 * @param flushes FLUSH for global visibility
 * @param persists FLUSH for persistence
 * @param atomicWrites ATOMIC WRITE
 */
public record PlacementAbilities(boolean flushes, boolean persists, boolean atomicWrites) {
    /** None of them. */
    public static final PlacementAbilities NONE = new PlacementAbilities(false, false, false);

    /** Returns those that a device answers. */
    public static PlacementAbilities of(Set<DeviceCapability> announced) {
        return new PlacementAbilities(
                announced.contains(DeviceCapability.FLUSH_GLOBAL),
                announced.contains(DeviceCapability.FLUSH_PERSISTENT),
                announced.contains(DeviceCapability.ATOMIC_WRITE));
    }

    /** Returns those of them that a queue pair can post, and that its peer answers. */
    public PlacementAbilities with(Set<WorkRequestOpcode> operations, PlacementAbilities peer) {
        boolean flush = operations.contains(WorkRequestOpcode.FLUSH);
        return new PlacementAbilities(
                flushes && flush && peer.flushes,
                persists && flush && peer.persists,
                atomicWrites && operations.contains(WorkRequestOpcode.ATOMIC_WRITE) && peer.atomicWrites);
    }

    /** Returns whether there is a FLUSH for a guarantee. */
    boolean has(PlacementType type) {
        return type == PlacementType.PERSISTENCE ? persists : flushes;
    }
}
