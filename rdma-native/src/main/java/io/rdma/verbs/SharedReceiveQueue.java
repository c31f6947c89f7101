package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Srq;
import io.rdma.internal.ffi.SrqAttr;
import io.rdma.internal.ffi.Verbs;

/**
 * A shared receive queue, {@code ibv_create_srq(3)}: receives that any of its queue pairs takes, in the order of
 * posting, and completes on its own completion queue. When a queue pair fails, what is posted here stays for the
 * others; a message that was arriving is flushed. {@link AsyncEventType#QP_LAST_WQE_REACHED} says that a failed queue
 * pair takes no more. Posting is thread-safe as in C; a {@link ReceiveChain} is not.
 */
public final class SharedReceiveQueue extends NativeObject {
    private final ProtectionDomain domain;
    private final SharedReceiveQueueAttributes attributes;

    SharedReceiveQueue(Verbs verbs, ProtectionDomain domain, Srq srq) {
        super(verbs, srq.handle());
        this.domain = domain;
        this.attributes = SharedReceiveQueueAttributes.of(srq.attr());
    }

    /**
     * What the device granted.
     *
     * @return at least what was asked for, without a limit
     */
    public SharedReceiveQueueAttributes attributes() {
        return attributes;
    }

    /**
     * The number by which peers name a queue of an {@link XrcDomain}, {@code ibv_get_srq_num(3)}.
     *
     * @return 24 bits
     * @throws VerbsException EINVAL or EOPNOTSUPP if it is of no such domain
     */
    public int number() {
        return verbs.xrc().getSrqNum(handle());
    }

    /** Whether its memory and queue pairs are those of a domain. */
    boolean isOf(ProtectionDomain other) {
        return domain == other;
    }

    /**
     * Posts receives, {@code ibv_post_srq_recv(3)}. The memory must be of this queue's protection domain, and is the
     * device's until the completion.
     *
     * @param chain not empty
     * @return 0 when all were posted, else a negative errno ({@code -ENOMEM}: the queue is full);
     *     {@link #postedBeforeFailure} tells how many were posted nevertheless
     */
    public int post(ReceiveChain chain) {
        return verbs.postSrqRecv(handle(), chain.address(), chain.badWr());
    }

    /**
     * After {@link #post} failed: how many requests of the chain were posted.
     *
     * @param chain that was posted
     * @return number
     */
    public int postedBeforeFailure(ReceiveChain chain) {
        return chain.postedBeforeBad();
    }

    /**
     * Arms the limit, {@code ibv_modify_srq(3)}: {@link AsyncEventType#SRQ_LIMIT_REACHED} comes once, when a receive is
     * taken and fewer than this remain posted. Arming while fewer are posted already may tell only when the next one is
     * taken: post first, then arm.
     *
     * @param limit receives, up to the depth; 0 disarms
     * @throws VerbsException EINVAL if there are not that many
     */
    public void armLimit(int limit) {
        verbs.modifySrq(handle(), new SrqAttr(attributes.maxWr(), attributes.maxSge(), limit), Ibv.SRQ_LIMIT);
    }

    /**
     * Depth and limit now, {@code ibv_query_srq(3)}.
     *
     * @return the limit is 0 once it was reached
     */
    public SharedReceiveQueueAttributes query() {
        return SharedReceiveQueueAttributes.of(verbs.querySrq(handle()));
    }

    @Override
    void destroy(long handle) {
        verbs.destroySrq(handle);
    }
}
