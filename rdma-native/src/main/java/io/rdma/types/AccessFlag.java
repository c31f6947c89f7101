package io.rdma.types;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import java.util.EnumSet;
import java.util.Set;

/** An access right or property of a memory region, a memory window or a queue pair, {@code ibv_reg_mr(3)}. */
public enum AccessFlag {
    /** {@code IBV_ACCESS_LOCAL_WRITE}: the local device may write: receives, results of reads and atomics. */
    LOCAL_WRITE(Ibv.ACCESS_LOCAL_WRITE),
    /** {@code IBV_ACCESS_REMOTE_WRITE}: the remote peer may write. */
    REMOTE_WRITE(Ibv.ACCESS_REMOTE_WRITE),
    /** {@code IBV_ACCESS_REMOTE_READ}: the remote peer may read. */
    REMOTE_READ(Ibv.ACCESS_REMOTE_READ),
    /**
     * {@code IBV_ACCESS_REMOTE_ATOMIC}: the remote peer may execute atomics. On {@code soft0} an
     * {@link WorkRequestOpcode#ATOMIC_WRITE} into on-demand memory needs it, too. Do not unmap such memory while a peer
     * has this right: an atomic or atomic write can end the JVM.
     */
    REMOTE_ATOMIC(Ibv.ACCESS_REMOTE_ATOMIC),
    /** {@code IBV_ACCESS_MW_BIND}: memory windows may be bound to the region. */
    MW_BIND(Ibv.ACCESS_MW_BIND),
    /** {@code IBV_ACCESS_ZERO_BASED}: work requests and peers use offsets from 0 instead of virtual addresses. */
    ZERO_BASED(Ibv.ACCESS_ZERO_BASED),
    /**
     * {@code IBV_ACCESS_ON_DEMAND}: pages are not pinned; the device faults them in on access. See
     * {@code DeviceContext.queryDeviceExtended}. Memory that is unmapped is an error of the request. On {@code soft0},
     * {@link #REMOTE_ATOMIC} is the exception: an atomic or atomic write on memory that is unmapped at that moment can
     * end the JVM.
     */
    ON_DEMAND(Ibv.ACCESS_ON_DEMAND),
    /** {@code IBV_ACCESS_HUGETLB}: all pages of the region are huge pages. */
    HUGETLB(Ibv.ACCESS_HUGETLB),
    /**
     * {@code IBV_ACCESS_FLUSH_GLOBAL}: the remote peer may ask for global visibility of what it wrote,
     * {@link PlacementType#GLOBAL_VISIBILITY}. A device without {@link DeviceCapability#FLUSH_GLOBAL} refuses it.
     */
    FLUSH_GLOBAL(MemoryPlacement.ACCESS_FLUSH_GLOBAL),
    /**
     * {@code IBV_ACCESS_FLUSH_PERSISTENT}: the remote peer may ask for persistence of what it wrote,
     * {@link PlacementType#PERSISTENCE}. A device without {@link DeviceCapability#FLUSH_PERSISTENT} refuses it, and so
     * does every device for memory that is not persistent: {@code rdma_rxe} wants memory of {@code /dev/dax} or of a
     * file system on it, {@code soft0} that of a file that is mapped {@code READ_WRITE}.
     */
    FLUSH_PERSISTENT(MemoryPlacement.ACCESS_FLUSH_PERSISTENT),
    /**
     * {@code IBV_ACCESS_RELAXED_ORDERING}: the device may write in any order. The arrival of a later byte does not
     * imply that earlier bytes have arrived; only a completion does. This is a hint: devices without support ignore it.
     */
    RELAXED_ORDERING(Ibv.ACCESS_RELAXED_ORDERING);

    private static final AccessFlag[] VALUES = values();
    private final int code;

    AccessFlag(int code) {
        this.code = code;
    }

    /**
     * Returns the bit of this flag in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the flag that has a given bit in C.
     *
     * @param code bit of the flag in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static AccessFlag of(int code) {
        for (AccessFlag value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no AccessFlag has the code " + code);
    }

    /**
     * Returns the bits for a registration. {@code ibv_reg_mr(3)} requires local write for remote write and atomics.
     *
     * @param flags rights of local and remote accesses
     * @return their codes, ORed
     */
    public static int registered(Set<AccessFlag> flags) {
        int mask = mask(flags.toArray(new AccessFlag[0]));
        boolean remoteWrites = (mask & (REMOTE_WRITE.code | REMOTE_ATOMIC.code)) != 0;
        return remoteWrites ? mask | LOCAL_WRITE.code : mask;
    }

    /**
     * Returns the flags of a bit mask. Bits without a constant are left out.
     *
     * @param mask codes, ORed
     * @return the flags
     */
    public static Set<AccessFlag> setOf(int mask) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag value : VALUES) {
            if ((mask & value.code) != 0) {
                flags.add(value);
            }
        }
        return flags;
    }

    /**
     * Returns the bit mask of several flags.
     *
     * @param flags any flags
     * @return their codes, ORed
     */
    public static int mask(AccessFlag... flags) {
        int mask = 0;
        for (AccessFlag flag : flags) {
            mask |= flag.code;
        }
        return mask;
    }
}
