package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/**
 * The time that completions carry, {@code wc_flags} of {@code ibv_create_cq_ex(3)}; one but {@link #NONE} needs
 * {@link PostingInterface#EXTENDED}.
 */
public enum CompletionTimestamp {
    /** None. */
    NONE(0),
    /**
     * {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP}: ticks of the device's own clock, good for differences;
     * {@code soft0}'s tick is a nanosecond.
     */
    DEVICE_CLOCK(Ibv.WC_EX_WITH_COMPLETION_TIMESTAMP),
    /** {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK}: nanoseconds since 1970. */
    WALL_CLOCK(Ibv.WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);

    private final int flag;

    CompletionTimestamp(int flag) {
        this.flag = flag;
    }

    /** {@code IBV_WC_EX_WITH_*}. */
    int flag() {
        return flag;
    }
}
