package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** Operation of a send work request, {@code ibv_post_send(3)}. */
public enum WorkRequestOpcode {
    /** {@code IBV_WR_RDMA_WRITE}: write into the peer's memory. */
    RDMA_WRITE(Ibv.WR_RDMA_WRITE),
    /** {@code IBV_WR_RDMA_WRITE_WITH_IMM}: the same, and consume a receive of the peer with 4 bytes. */
    RDMA_WRITE_WITH_IMM(Ibv.WR_RDMA_WRITE_WITH_IMM),
    /** {@code IBV_WR_SEND}: message into a receive of the peer. */
    SEND(Ibv.WR_SEND),
    /** {@code IBV_WR_SEND_WITH_IMM}: the same with 4 bytes more. */
    SEND_WITH_IMM(Ibv.WR_SEND_WITH_IMM),
    /** {@code IBV_WR_RDMA_READ}: read the peer's memory. */
    RDMA_READ(Ibv.WR_RDMA_READ),
    /** {@code IBV_WR_ATOMIC_CMP_AND_SWP}: compare and swap 8 bytes. */
    ATOMIC_CMP_AND_SWP(Ibv.WR_ATOMIC_CMP_AND_SWP),
    /** {@code IBV_WR_ATOMIC_FETCH_AND_ADD}: fetch and add 8 bytes. */
    ATOMIC_FETCH_AND_ADD(Ibv.WR_ATOMIC_FETCH_AND_ADD),
    /** {@code IBV_WR_LOCAL_INV}: invalidate a key of this side. */
    LOCAL_INV(Ibv.WR_LOCAL_INV),
    /** {@code IBV_WR_BIND_MW}: bind a type 2 memory window. */
    BIND_MW(Ibv.WR_BIND_MW),
    /** {@code IBV_WR_SEND_WITH_INV}: message into a receive of the peer, whose device invalidates a key then. */
    SEND_WITH_INV(Ibv.WR_SEND_WITH_INV);

    private static final WorkRequestOpcode[] VALUES = values();
    private final int code;

    WorkRequestOpcode(int code) {
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
    public static WorkRequestOpcode of(int code) {
        for (WorkRequestOpcode value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a WorkRequestOpcode: " + code);
    }

    /**
     * Whether it takes a receive of the peer.
     *
     * @return true for the three sends and for the write with immediate
     */
    public boolean consumesReceive() {
        return this == SEND || this == SEND_WITH_IMM || this == SEND_WITH_INV || this == RDMA_WRITE_WITH_IMM;
    }

    /**
     * Whether the request takes one of the few read/atomic resources ({@code max_rd_atomic}).
     *
     * @return true for RDMA_READ and atomics
     */
    public boolean isReadOrAtomic() {
        return code >= Ibv.WR_RDMA_READ && code <= Ibv.WR_ATOMIC_FETCH_AND_ADD;
    }

    /** Bit of this operation in a set of them. */
    int bit() {
        return 1 << code;
    }
}
