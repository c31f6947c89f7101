package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** Whether a process that registered memory may fork, {@code ibv_is_fork_initialized(3)}. */
public enum ForkStatus {
    /** {@code IBV_FORK_DISABLED}: not prepared. Programs that Java starts are fine: it forks and executes at once. */
    DISABLED(Ibv.FORK_DISABLED),
    /** {@code IBV_FORK_ENABLED}: prepared. */
    ENABLED(Ibv.FORK_ENABLED),
    /** {@code IBV_FORK_UNNEEDED}: the kernel copies registered pages itself, Linux 5.12 and newer. */
    UNNEEDED(Ibv.FORK_UNNEEDED);

    private static final ForkStatus[] VALUES = values();
    private final int code;

    ForkStatus(int code) {
        this.code = code;
    }

    /**
     * The constant of a number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static ForkStatus of(int code) {
        for (ForkStatus value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a ForkStatus: " + code);
    }
}
