package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** How a memory window is bound and revoked, {@code ibv_alloc_mw(3)}. */
public enum MemoryWindowType {
    /**
     * {@code IBV_MW_TYPE_1}: bound by {@link QueuePair#bind}, for every queue pair of its domain; revoked by an empty
     * binding or its close.
     */
    TYPE_1(Ibv.MW_TYPE_1),
    /**
     * {@code IBV_MW_TYPE_2}: bound by a work request, {@link SendChain#bind}, for the queue pair that it is posted to;
     * revoked by a local invalidation, by the peer's send with invalidate, or by its close. To be bound again it must
     * have been revoked.
     */
    TYPE_2(Ibv.MW_TYPE_2);

    private final int code;

    MemoryWindowType(int code) {
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
}
