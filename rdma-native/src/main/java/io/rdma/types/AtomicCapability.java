package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The scope in which atomics of a device are atomic, {@code ibv_query_device(3)}. */
public enum AtomicCapability {
    /** {@code IBV_ATOMIC_NONE}: the device has no atomics. */
    NONE(Ibv.ATOMIC_NONE),
    /** {@code IBV_ATOMIC_HCA}: among the queue pairs of this device only. Atomics of the CPU may race with them. */
    HCA(Ibv.ATOMIC_HCA),
    /** {@code IBV_ATOMIC_GLOB}: among all devices and CPUs. */
    GLOB(Ibv.ATOMIC_GLOB);

    private static final AtomicCapability[] VALUES = values();
    private final int code;

    AtomicCapability(int code) {
        this.code = code;
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
     * Returns the constant that has a number in C.
     *
     * @param code number of the constant in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static AtomicCapability of(int code) {
        for (AtomicCapability value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no AtomicCapability has the code " + code);
    }
}
