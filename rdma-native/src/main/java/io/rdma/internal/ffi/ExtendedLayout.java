package io.rdma.internal.ffi;

/** {@code struct ibv_qp_init_attr_ex} behind the {@link QpInitAttrLayout} that it begins with, and {@code struct ibv_cq_init_attr_ex}. */
final class ExtendedLayout {
    static final int QP_INIT_SIZE = 136;
    static final int QP_INIT_COMP_MASK = 60;
    static final int QP_INIT_PD = 64;
    static final int QP_INIT_SEND_OPS_FLAGS = 128;

    static final int CQ_INIT_SIZE = 56;
    static final int CQ_INIT_CQE = 0;
    static final int CQ_INIT_CHANNEL = 16;
    static final int CQ_INIT_COMP_VECTOR = 24;
    static final int CQ_INIT_WC_FLAGS = 32;

    private ExtendedLayout() {}
}
