package io.rdma.internal.ffi;

/**
 * Extended reliable connections, by the conventions of {@link Verbs}: {@code ibv_open_xrcd(3)},
 * {@code ibv_create_srq_ex(3)}, {@code ibv_create_qp_ex(3)}. The sending queue pair, {@code IBV_QPT_XRC_SEND}, is made
 * by {@link Verbs#createQp}.
 */
public interface XrcVerbs {
    /**
     * Opens a domain of this process alone, {@code ibv_open_xrcd(3)}.
     *
     * @param context handle
     * @return handle
     */
    long openXrcd(long context);

    /**
     * Closes a domain, {@code ibv_close_xrcd(3)}; EBUSY while something uses it.
     *
     * @param xrcd handle
     */
    void closeXrcd(long xrcd);

    /**
     * Creates a shared receive queue of type {@code IBV_SRQT_XRC}, {@code ibv_create_srq_ex(3)}.
     *
     * @param pd handle, whose memory peers may use through it
     * @param xrcd handle
     * @param cq handle of the completion queue of its receives
     * @param attr what is wanted; the limit does not count
     * @return handle and what was granted
     */
    Srq createXrcSrq(long pd, long xrcd, long cq, SrqAttr attr);

    /**
     * Number of such a queue, by which peers name it, {@code ibv_get_srq_num(3)}.
     *
     * @param srq handle
     * @return 24 bits
     */
    int getSrqNum(long srq);

    /**
     * Creates a receiving queue pair, {@code IBV_QPT_XRC_RECV}, {@code ibv_create_qp_ex(3)}; what arrives goes to the
     * queue of the domain that the sender names.
     *
     * @param xrcd handle
     * @return handle and number, no capacity
     */
    Qp createXrcReceiveQp(long xrcd);
}
