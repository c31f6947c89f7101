package io.rdma.internal.ffi;

import io.rdma.internal.ibv.Mr;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/**
 * Calls that many providers lack, by the conventions of {@link Verbs}. A device that lacks one fails with EOPNOTSUPP,
 * as the default methods do.
 */
public interface OptionalVerbs {
    /** Creates the exception for a call that the device lacks. */
    private static VerbsException lacks(String call, String what) {
        return new VerbsException(call, Errno.EOPNOTSUPP, "This device does not support " + what);
    }

    /**
     * Moderates the events of a completion queue, {@code ibv_modify_cq(3)} with {@code IBV_CQ_ATTR_MODERATE}.
     *
     * @param cq handle
     * @param count completions per event, 0 to 65,535; 0 and 1 are no moderation
     * @param period longest delay of an event in microseconds, 0 to 65,535
     */
    default void modifyCq(long cq, int count, int period) {
        throw lacks("ibv_modify_cq", "completion moderation: each completion of an armed queue raises its event");
    }

    /**
     * Reads the device's clock, {@code ibv_query_rt_values_ex(3)} with {@code IBV_VALUES_MASK_RAW_CLOCK}.
     *
     * @param context handle
     * @return ticks
     */
    default long queryRawClock(long context) {
        throw lacks("ibv_query_rt_values_ex", "reading its clock");
    }

    /**
     * Limits the rate at which a queue pair sends, {@code ibv_modify_qp_rate_limit(3)}.
     *
     * @param qp handle, in RTS
     * @param rate in kbps; 0 for no limit
     * @param burst largest burst in bytes, or 0
     * @param typicalPacket typical size of a packet in bytes, 0 to 65,535
     */
    default void modifyQpRateLimit(long qp, int rate, int burst, int typicalPacket) {
        throw lacks("ibv_modify_qp_rate_limit", "rate limits: limit the rate at which requests are posted");
    }

    /**
     * Allocates a null region, {@code ibv_alloc_null_mr(3)}. It is freed by {@link Verbs#deregMr}.
     *
     * @param pd handle
     * @return handle and local key
     */
    default Mr allocNullMr(long pd) {
        throw lacks("ibv_alloc_null_mr", "null regions: register memory that the application ignores");
    }

    /**
     * Allocates a thread domain, {@code ibv_alloc_td(3)}.
     *
     * @param context handle
     * @return handle
     */
    default long allocTd(long context) {
        throw lacks("ibv_alloc_td", "thread domains: use the protection domain itself");
    }

    /**
     * Frees a thread domain, {@code ibv_dealloc_td}, see {@code ibv_alloc_td(3)}.
     *
     * @param td handle
     */
    default void deallocTd(long td) {
        throw lacks("ibv_dealloc_td", "thread domains");
    }
}
