package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The way in which a memory window is bound and revoked, {@code ibv_alloc_mw(3)}. */
public enum MemoryWindowType {
    /**
     * {@code IBV_MW_TYPE_1}: bound by {@code QueuePair.bind} for every queue pair of its protection domain. It is
     * revoked by an empty binding or by its close.
     */
    TYPE_1(Ibv.MW_TYPE_1),
    /**
     * {@code IBV_MW_TYPE_2}: bound by a work request, {@code SendChain.bind}, for the queue pair to which that is
     * posted. It is revoked by a local invalidation, by a send with invalidate from the peer, or by its close. It can
     * be bound again only after it was revoked.
     */
    TYPE_2(Ibv.MW_TYPE_2);

    private final int code;

    MemoryWindowType(int code) {
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
}
