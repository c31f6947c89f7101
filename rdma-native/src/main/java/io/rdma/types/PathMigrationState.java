package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** State of path migration of a queue pair, {@code enum ibv_mig_state} of {@code ibv_modify_qp(3)}. */
public enum PathMigrationState {
    /** {@code IBV_MIG_MIGRATED}: the initial state, and the one after a migration. There is no way to migrate. */
    MIGRATED(Ibv.MIG_MIGRATED),
    /** {@code IBV_MIG_REARM}: an alternate path is set. The device waits until the peer has set one too. */
    REARM(Ibv.MIG_REARM),
    /** {@code IBV_MIG_ARMED}: both sides have an alternate path. The device migrates when its path fails. */
    ARMED(Ibv.MIG_ARMED);

    private static final PathMigrationState[] VALUES = values();
    private final int code;

    PathMigrationState(int code) {
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
     * Returns the constant with a given number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static PathMigrationState of(int code) {
        for (PathMigrationState value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no PathMigrationState has the code " + code);
    }
}
