package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;
import java.util.EnumSet;
import java.util.Set;

/** What a memory region or queue pair allows, {@code ibv_reg_mr(3)}. */
public enum AccessFlag {
    /** {@code IBV_ACCESS_LOCAL_WRITE}: the device may write for us: receives, read targets, atomic results. */
    LOCAL_WRITE(Ibv.ACCESS_LOCAL_WRITE),
    /** {@code IBV_ACCESS_REMOTE_WRITE}: the peer may write. */
    REMOTE_WRITE(Ibv.ACCESS_REMOTE_WRITE),
    /** {@code IBV_ACCESS_REMOTE_READ}: the peer may read. */
    REMOTE_READ(Ibv.ACCESS_REMOTE_READ),
    /** {@code IBV_ACCESS_REMOTE_ATOMIC}: the peer may use atomics. */
    REMOTE_ATOMIC(Ibv.ACCESS_REMOTE_ATOMIC),
    /** {@code IBV_ACCESS_MW_BIND}: memory windows may be bound to it. */
    MW_BIND(Ibv.ACCESS_MW_BIND),
    /** {@code IBV_ACCESS_ZERO_BASED}: work requests and peers count from 0 instead of naming addresses. */
    ZERO_BASED(Ibv.ACCESS_ZERO_BASED),
    /**
     * {@code IBV_ACCESS_ON_DEMAND}: pages are not pinned, the device faults them in; see
     * {@link DeviceContext#queryDevice}.
     */
    ON_DEMAND(Ibv.ACCESS_ON_DEMAND),
    /** {@code IBV_ACCESS_HUGETLB}: all pages are huge ones. */
    HUGETLB(Ibv.ACCESS_HUGETLB),
    /**
     * {@code IBV_ACCESS_RELAXED_ORDERING}: the device may write in any order, so that a later byte does not say that an
     * earlier one is there; only a completion does. A wish: devices that cannot do it ignore it.
     */
    RELAXED_ORDERING(Ibv.ACCESS_RELAXED_ORDERING);

    private static final AccessFlag[] VALUES = values();
    private final int code;

    AccessFlag(int code) {
        this.code = code;
    }

    /**
     * The number that C uses.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static AccessFlag of(int code) {
        for (AccessFlag value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a AccessFlag: " + code);
    }

    /** The bits of a registration: {@code ibv_reg_mr(3)} demands local write for remote writes. */
    static int registered(Set<AccessFlag> flags) {
        int mask = mask(flags.toArray(new AccessFlag[0]));
        boolean remoteWrites = (mask & (REMOTE_WRITE.code | REMOTE_ATOMIC.code)) != 0;
        return remoteWrites ? mask | LOCAL_WRITE.code : mask;
    }

    /** The flags of some bits; bits without a constant are left out. */
    static Set<AccessFlag> setOf(int mask) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag value : VALUES) {
            if ((mask & value.code) != 0) {
                flags.add(value);
            }
        }
        return flags;
    }

    /**
     * The bits of several flags.
     *
     * @param flags any
     * @return ORed codes
     */
    public static int mask(AccessFlag... flags) {
        int mask = 0;
        for (AccessFlag flag : flags) {
            mask |= flag.code;
        }
        return mask;
    }
}
