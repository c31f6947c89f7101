package io.rdma.internal.ffi;

/**
 * What {@code rdma_init_qp_attr(3)} gives for a transition.
 *
 * @param attr the values
 * @param mask {@code IBV_QP_*}: which of them count
 */
public record CmQpAttr(QpAttr attr, int mask) {}
