package io.rdma.internal.ibv;

/**
 * {@code struct ibv_qp_init_attr}, {@code ibv_create_qp(3)}.
 *
 * @param sendCq handle
 * @param recvCq handle
 * @param srq handle of a shared receive queue, or 0; with one the queue pair has no receive queue of its own
 * @param cap requested capacity
 * @param qpType {@code IBV_QPT_*}
 * @param sqSigAll whether every send generates a completion
 */
public record QpInitAttr(long sendCq, long recvCq, long srq, QpCap cap, int qpType, boolean sqSigAll) {}
