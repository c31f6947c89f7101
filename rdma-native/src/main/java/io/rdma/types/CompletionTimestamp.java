package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/**
 * The timestamp that completions carry, {@code wc_flags} of {@code ibv_create_cq_ex(3)}. All except {@link #NONE} need
 * {@link PostingInterface#EXTENDED}.
 */
public enum CompletionTimestamp {
    /** No timestamp. */
    NONE(0),
    /**
     * {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP}: ticks of the device's own clock, suitable for differences. A tick of
     * {@code soft0} is a nanosecond.
     */
    DEVICE_CLOCK(Ibv.WC_EX_WITH_COMPLETION_TIMESTAMP),
    /** {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK}: nanoseconds since 1970. */
    WALL_CLOCK(Ibv.WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);

    private final int flag;

    CompletionTimestamp(int flag) {
        this.flag = flag;
    }

    /**
     * Returns the flag of C.
     *
     * @return {@code IBV_WC_EX_WITH_*}, or 0
     */
    public int flag() {
        return flag;
    }
}
