package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.types.AsyncEventType;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;

/**
 * A shared receive queue, {@code ibv_create_srq(3)}. Each of its queue pairs takes receives from it, in the order of
 * posting, and completes them on the completion queue of that queue pair. When a queue pair fails, the posted receives
 * remain for the others. The receive of a message that was arriving is flushed.
 * {@link AsyncEventType#QP_LAST_WQE_REACHED} reports that a failed queue pair takes no more receives. Posting is
 * thread-safe, as in C. Filling a {@link ReceiveChain} is not.
 */
public final class SharedReceiveQueue extends NativeObject {
    private final ProtectionDomain domain;
    private final SharedReceiveQueueAttributes attributes;

    SharedReceiveQueue(Verbs verbs, ProtectionDomain domain, Srq srq) {
        super(verbs, srq.handle());
        this.domain = domain;
        this.attributes = Structures.attributes(srq.attr());
    }

    /**
     * Returns the attributes that the device granted.
     *
     * @return at least the requested depth and entries, without a limit
     */
    public SharedReceiveQueueAttributes attributes() {
        return attributes;
    }

    /**
     * Returns the number by which peers name a queue of an {@link XrcDomain}, {@code ibv_get_srq_num(3)}.
     *
     * @return 24 bits
     * @throws VerbsException EINVAL or EOPNOTSUPP if the queue belongs to no such domain
     */
    public int number() {
        return verbs.xrc().getSrqNum(handle());
    }

    /** Returns whether this queue works with objects of a given protection domain. */
    boolean isOf(ProtectionDomain other) {
        return domain.root() == other.root();
    }

    /**
     * Posts receives, {@code ibv_post_srq_recv(3)}. The memory must belong to this queue's protection domain. The
     * device owns it until the completion.
     *
     * @param chain not empty
     * @return 0 if all requests were posted, else a negative errno ({@code -ENOMEM}: the queue is full). On failure
     *     {@link #postedBeforeFailure} returns how many were posted
     */
    public int post(ReceiveChain chain) {
        return verbs.postSrqRecv(handle(), chain.address(), chain.badWr());
    }

    /**
     * Returns how many requests of the chain were posted when {@link #post} failed.
     *
     * @param chain the chain that was posted
     * @return number of requests
     */
    public int postedBeforeFailure(ReceiveChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Arms the limit, {@code ibv_modify_srq(3)}. {@link AsyncEventType#SRQ_LIMIT_REACHED} is reported once, when a
     * queue pair takes a receive and fewer than {@code limit} remain posted. If fewer are posted when the limit is
     * armed, the event may come only when the next receive is taken. Therefore post first, then arm.
     *
     * @param limit number of receives, up to the depth; 0 disarms
     * @throws VerbsException EINVAL if the limit exceeds the depth
     */
    public void armLimit(int limit) {
        verbs.modifySrq(handle(), new SrqAttr(attributes.maxWr(), attributes.maxSge(), limit), Ibv.SRQ_LIMIT);
    }

    /**
     * Queries the current depth and limit, {@code ibv_query_srq(3)}.
     *
     * @return the attributes; the limit is 0 once it was reached
     */
    public SharedReceiveQueueAttributes query() {
        return Structures.attributes(verbs.querySrq(handle()));
    }

    @Override
    void destroy(long handle) {
        verbs.destroySrq(handle);
    }
}
