package io.rdma.verbs;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MwBind;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import java.util.Objects;
import java.util.Set;

/**
 * The target of a binding of a memory window, {@code struct ibv_mw_bind_info} of {@code ibv_bind_mw(3)}.
 *
 * @param region region with {@link AccessFlag#MW_BIND}, and with {@link AccessFlag#LOCAL_WRITE} if the peer may write
 * @param offset first byte in the region
 * @param length in bytes; 0 unbinds a type 1 window, and is not allowed for type 2
 * @param access access flags for the peer. With {@link AccessFlag#ZERO_BASED}, type 2 only, the peer uses offsets
 *     from 0
 */
public record MemoryWindowBinding(MemoryRegion region, long offset, long length, Set<AccessFlag> access) {
    /**
     * Checks the part.
     *
     * @throws IndexOutOfBoundsException if it exceeds the region
     */
    public MemoryWindowBinding {
        Objects.checkFromIndexSize(offset, length, region.length());
        access = Set.copyOf(access);
    }

    /**
     * Returns a binding that revokes a type 1 window.
     *
     * @param region any open region: libraries check it although it has no effect
     * @return an empty binding
     */
    public static MemoryWindowBinding empty(MemoryRegion region) {
        return new MemoryWindowBinding(region, 0, 0, Set.of());
    }

    /** Returns the address of the first byte for work requests. */
    long address() {
        return region.address() + offset;
    }

    int accessCode() {
        return AccessFlag.mask(access.toArray(AccessFlag[]::new));
    }

    /** Returns the signaled request that binds a window of type 1. */
    MwBind request(long wrId) {
        return new MwBind(wrId, Ibv.SEND_SIGNALED, region.handle(), address(), length, accessCode());
    }

    /** Returns the description of the bound part for the peer. */
    RemoteMemory remote(int rkey) {
        return new RemoteMemory(access.contains(AccessFlag.ZERO_BASED) ? 0 : address(), length, rkey);
    }
}
