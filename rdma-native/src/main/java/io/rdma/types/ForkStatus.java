package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The readiness of libibverbs for a {@code fork(2)} of this process, {@code ibv_is_fork_initialized(3)}. */
public enum ForkStatus {
    /** {@code IBV_FORK_DISABLED}: not prepared. Java may still start programs, because it executes them at once. */
    DISABLED(Ibv.FORK_DISABLED),
    /** {@code IBV_FORK_ENABLED}: prepared. */
    ENABLED(Ibv.FORK_ENABLED),
    /** {@code IBV_FORK_UNNEEDED}: the kernel copies registered pages itself, Linux 5.12 or newer. */
    UNNEEDED(Ibv.FORK_UNNEEDED);

    private static final ForkStatus[] VALUES = values();
    private final int code;

    ForkStatus(int code) {
        this.code = code;
    }

    /**
     * Returns the constant that has a number in C.
     *
     * @param code number of the constant in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static ForkStatus of(int code) {
        for (ForkStatus value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no ForkStatus has the code " + code);
    }
}
