package io.rdma.engine;

import io.rdma.types.PlacementType;

/** Means by which a connection learns that what it wrote is placed in the peer's memory, {@link PlacementType}. */
public enum FlushMethod {
    /**
     * A FLUSH, IB specification volume 1, annex A19. The devices of both ends have it. The peer's memory needs the
     * right {@link PlacementType#right}.
     */
    FLUSH,
    /**
     * An RDMA read of the last bytes behind the writes, for {@link PlacementType#GLOBAL_VISIBILITY} alone. The peer's
     * device answers it after it has placed the writes before it. The peer's memory needs the right
     * {@link io.rdma.types.AccessFlag#REMOTE_READ}. The bytes may still be in a cache that a loss of power empties.
     */
    READ_AFTER_WRITE,
    /** None: one of the devices has no FLUSH for that guarantee, and a read does not give it or is not possible. */
    NONE
}
