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
    /** {@code O_CREAT}: a domain that does not exist is created. */
    int O_CREAT = 0x40;

    /**
     * Opens a domain, {@code ibv_open_xrcd(3)}. All that open the same file of a device share one domain.
     *
     * @param context handle
     * @param fd open descriptor of that file, needed during the call alone; -1 for a domain that nobody else has
     * @param oflags {@code O_CREAT}, without which the domain must exist, or EAGAIN
     * @return handle
     */
    long openXrcd(long context, int fd, int oflags);

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

    /**
     * Opens a receiving queue pair that another user of the domain has created, {@code ibv_open_qp(3)}. It is destroyed
     * when everyone that created or opened it has destroyed it.
     *
     * @param xrcd handle
     * @param qpNum its number; EINVAL if the domain has no such queue pair
     * @return another handle, and the number; no capacity
     */
    Qp openQp(long xrcd, int qpNum);
}
