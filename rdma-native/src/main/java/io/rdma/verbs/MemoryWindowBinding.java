package io.rdma.verbs;

import java.util.Objects;
import java.util.Set;

/**
 * What a memory window is bound to, {@code struct ibv_mw_bind_info}, {@code ibv_bind_mw(3)}.
 *
 * @param region registered with {@link AccessFlag#MW_BIND}, and with {@link AccessFlag#LOCAL_WRITE} if the peer may
 *     write
 * @param offset first byte in the region
 * @param length in bytes; 0 makes a type 1 window empty, and is not allowed for type 2
 * @param access of the peer; {@link AccessFlag#ZERO_BASED}: the peer counts from 0, type 2 only
 */
public record MemoryWindowBinding(MemoryRegion region, long offset, long length, Set<AccessFlag> access) {
    /**
     * Checks the part.
     *
     * @throws IndexOutOfBoundsException if it does not lie inside
     */
    public MemoryWindowBinding {
        Objects.checkFromIndexSize(offset, length, region.length());
        access = Set.copyOf(access);
    }

    /**
     * Revokes a type 1 window.
     *
     * @param region any open one: libraries look at it although it does not count
     * @return a binding to nothing
     */
    public static MemoryWindowBinding empty(MemoryRegion region) {
        return new MemoryWindowBinding(region, 0, 0, Set.of());
    }

    /** As the region's work requests name the first byte. */
    long address() {
        return region.address() + offset;
    }

    int accessCode() {
        return AccessFlag.mask(access.toArray(AccessFlag[]::new));
    }

    /** As the peer names it. */
    RemoteMemory remote(int rkey) {
        return new RemoteMemory(access.contains(AccessFlag.ZERO_BASED) ? 0 : address(), length, rkey);
    }
}
