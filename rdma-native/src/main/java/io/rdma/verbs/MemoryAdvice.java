package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** What is told about a part of an on-demand region, {@code ibv_advise_mr(3)}. */
public enum MemoryAdvice {
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH}: it will be read soon, fault it in. */
    PREFETCH(Ibv.ADVISE_MR_ADVICE_PREFETCH),
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE}: it will be written soon, fault it in. */
    PREFETCH_WRITE(Ibv.ADVISE_MR_ADVICE_PREFETCH_WRITE),
    /** {@code IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT}: show the device what is in memory already. */
    PREFETCH_NO_FAULT(Ibv.ADVISE_MR_ADVICE_PREFETCH_NO_FAULT);

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    /**
     * The number that C uses.
     *
     * @return the value of the constant in {@code infiniband/verbs_api.h}
     */
    public int code() {
        return code;
    }
}
