package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** How atomics of the device are atomic, {@code ibv_query_device(3)}. */
public enum AtomicCapability {
    /** {@code IBV_ATOMIC_NONE}: no atomics. */
    NONE(Ibv.ATOMIC_NONE),
    /** {@code IBV_ATOMIC_HCA}: among this device's queue pairs only; CPU atomics may race. */
    HCA(Ibv.ATOMIC_HCA),
    /** {@code IBV_ATOMIC_GLOB}: among all devices and CPUs. */
    GLOB(Ibv.ATOMIC_GLOB);

    private static final AtomicCapability[] VALUES = values();
    private final int code;

    AtomicCapability(int code) {
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
    public static AtomicCapability of(int code) {
        for (AtomicCapability value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a AtomicCapability: " + code);
    }
}
