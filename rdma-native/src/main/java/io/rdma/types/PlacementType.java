package io.rdma.types;

import io.rdma.internal.ibv.MemoryPlacement;

/**
 * Guarantee for the bytes that arrived before a {@link WorkRequestOpcode#FLUSH}, once it has completed: the placement
 * type, IB specification volume 1, annex A19.
 */
public enum PlacementType {
    /** {@code IBV_FLUSH_GLOBAL}: every processor and device of the peer sees the bytes, global visibility. */
    GLOBAL_VISIBILITY(MemoryPlacement.FLUSH_GLOBAL, AccessFlag.FLUSH_GLOBAL),
    /** {@code IBV_FLUSH_PERSISTENT}: the bytes outlive a loss of power of the peer, persistence. */
    PERSISTENCE(MemoryPlacement.FLUSH_PERSISTENT, AccessFlag.FLUSH_PERSISTENT);

    private final int code;
    private final AccessFlag right;

    PlacementType(int code, AccessFlag right) {
        this.code = code;
        this.right = right;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the right that the owner of the memory must give: to the region and to its queue pair.
     *
     * @return {@link AccessFlag#FLUSH_GLOBAL} or {@link AccessFlag#FLUSH_PERSISTENT}
     */
    public AccessFlag right() {
        return right;
    }
}
