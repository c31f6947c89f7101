package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** Advice to the device about a part of an on-demand region, {@code ibv_advise_mr(3)}. */
public enum MemoryAdvice {
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH}: the part will be read soon; fault its pages in. */
    PREFETCH(Ibv.ADVISE_MR_ADVICE_PREFETCH),
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE}: the part will be written soon; fault its pages in. */
    PREFETCH_WRITE(Ibv.ADVISE_MR_ADVICE_PREFETCH_WRITE),
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT}: map the pages that are in memory already; fault none in. */
    PREFETCH_NO_FAULT(Ibv.ADVISE_MR_ADVICE_PREFETCH_NO_FAULT);

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value of the constant in {@code infiniband/verbs_api.h}
     */
    public int code() {
        return code;
    }
}
