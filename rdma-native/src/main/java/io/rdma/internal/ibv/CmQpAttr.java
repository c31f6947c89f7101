package io.rdma.internal.ibv;

/**
 * Attributes for a transition, as {@code rdma_init_qp_attr(3)} returns them.
 *
 * @param attr the values
 * @param mask {@code IBV_QP_*} of the values that are valid
 */
public record CmQpAttr(QpAttr attr, int mask) {}
