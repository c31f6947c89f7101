package io.rdma.internal.ffi;

import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;

/**
 * The calls for extended reliable connections, by the conventions of {@link Verbs}: {@code ibv_open_xrcd(3)},
 * {@code ibv_create_srq_ex(3)}, {@code ibv_create_qp_ex(3)}. {@link Verbs#createQp} creates the sending queue
 * pair, {@code IBV_QPT_XRC_SEND}.
 */
public interface XrcVerbs {
    /**
     * Opens a domain that is private to this process, {@code ibv_open_xrcd(3)}.
     *
     * @param context handle
     * @return handle
     */
    long openXrcd(long context);

    /**
     * Closes a domain, {@code ibv_close_xrcd(3)}; EBUSY while an object uses it.
     *
     * @param xrcd handle
     */
    void closeXrcd(long xrcd);

    /**
     * Creates a shared receive queue of type {@code IBV_SRQT_XRC}, {@code ibv_create_srq_ex(3)}.
     *
     * @param pd handle of the protection domain whose memory peers may use through it
     * @param xrcd handle
     * @param cq handle of the completion queue of its receives
     * @param attr requested attributes; the limit is ignored
     * @return handle and granted attributes
     */
    Srq createXrcSrq(long pd, long xrcd, long cq, SrqAttr attr);

    /**
     * Returns the number by which peers name such a queue, {@code ibv_get_srq_num(3)}.
     *
     * @param srq handle
     * @return 24 bits
     */
    int getSrqNum(long srq);

    /**
     * Creates a receiving queue pair, {@code IBV_QPT_XRC_RECV}, {@code ibv_create_qp_ex(3)}. Its messages go to the
     * shared receive queue of the domain that the sender names.
     *
     * @param xrcd handle
     * @return handle and number, no capacity
     */
    Qp createXrcReceiveQp(long xrcd);
}
