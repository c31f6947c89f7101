package io.rdma.types;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;

/** Operation of a send work request, {@code ibv_post_send(3)}. */
public enum WorkRequestOpcode {
    /** {@code IBV_WR_RDMA_WRITE}: writes into the peer's memory. */
    RDMA_WRITE(Ibv.WR_RDMA_WRITE),
    /**
     * {@code IBV_WR_RDMA_WRITE_WITH_IMM}: the same, and consumes a receive of the peer, which gets 4 bytes of
     * immediate data.
     */
    RDMA_WRITE_WITH_IMM(Ibv.WR_RDMA_WRITE_WITH_IMM),
    /** {@code IBV_WR_SEND}: sends a message into a receive of the peer. */
    SEND(Ibv.WR_SEND),
    /** {@code IBV_WR_SEND_WITH_IMM}: the same, with 4 bytes of immediate data. */
    SEND_WITH_IMM(Ibv.WR_SEND_WITH_IMM),
    /** {@code IBV_WR_RDMA_READ}: reads the peer's memory. */
    RDMA_READ(Ibv.WR_RDMA_READ),
    /** {@code IBV_WR_ATOMIC_CMP_AND_SWP}: compares and swaps 8 bytes. */
    ATOMIC_CMP_AND_SWP(Ibv.WR_ATOMIC_CMP_AND_SWP),
    /** {@code IBV_WR_ATOMIC_FETCH_AND_ADD}: fetches and adds 8 bytes. */
    ATOMIC_FETCH_AND_ADD(Ibv.WR_ATOMIC_FETCH_AND_ADD),
    /** {@code IBV_WR_LOCAL_INV}: invalidates a key of this side. */
    LOCAL_INV(Ibv.WR_LOCAL_INV),
    /** {@code IBV_WR_BIND_MW}: binds a type 2 memory window. */
    BIND_MW(Ibv.WR_BIND_MW),
    /**
     * {@code IBV_WR_SEND_WITH_INV}: sends a message into a receive of the peer, whose device then invalidates a key.
     */
    SEND_WITH_INV(Ibv.WR_SEND_WITH_INV),
    /**
     * {@code IBV_WR_FLUSH}: makes what earlier requests wrote visible or persistent, {@link PlacementType}. Few devices
     * have it.
     */
    FLUSH(MemoryPlacement.WR_FLUSH),
    /**
     * {@code IBV_WR_ATOMIC_WRITE}: writes 8 bytes into the peer's memory at once, after all that earlier requests
     * wrote. Few devices have it.
     */
    ATOMIC_WRITE(Ibv.WR_ATOMIC_WRITE);

    private static final WorkRequestOpcode[] VALUES = values();
    private final int code;
    private final boolean consumesReceive;
    private final boolean isReadOrAtomic;

    WorkRequestOpcode(int code) {
        this.code = code;
        this.consumesReceive = code == Ibv.WR_SEND
                || code == Ibv.WR_SEND_WITH_IMM
                || code == Ibv.WR_SEND_WITH_INV
                || code == Ibv.WR_RDMA_WRITE_WITH_IMM;
        this.isReadOrAtomic = code >= Ibv.WR_RDMA_READ && code <= Ibv.WR_ATOMIC_FETCH_AND_ADD || isPlacement();
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
     * Returns whether the operation belongs to the memory placement extensions, which {@code ibv_post_send(3)} lacks.
     *
     * @return true for FLUSH and ATOMIC_WRITE
     */
    public boolean isPlacement() {
        return MemoryPlacement.isPlacement(code);
    }

    /**
     * Returns the constant with a given number.
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
        throw new IllegalArgumentException("no WorkRequestOpcode has the code " + code);
    }

    /**
     * Returns whether the operation consumes a receive of the peer.
     *
     * @return true for the three sends and for the write with immediate data
     */
    public boolean consumesReceive() {
        return consumesReceive;
    }

    /**
     * Returns whether the request takes one of the few read/atomic resources ({@code max_rd_atomic}).
     *
     * @return true for RDMA_READ, atomics, FLUSH and ATOMIC_WRITE
     */
    public boolean isReadOrAtomic() {
        return isReadOrAtomic;
    }

    /**
     * Returns the bit of this operation in a set of operations.
     *
     * @return a power of two
     */
    public int bit() {
        return 1 << code;
    }
}
