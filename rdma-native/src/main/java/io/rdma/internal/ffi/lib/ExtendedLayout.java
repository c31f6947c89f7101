package io.rdma.internal.ffi.lib;

/**
 * The layouts of {@code struct ibv_qp_init_attr_ex}, after the {@link QpInitAttrLayout} that it begins with,
 * {@code struct ibv_srq_init_attr_ex}, {@code struct ibv_xrcd_init_attr}, {@code struct ibv_qp_open_attr}
 * and {@code struct ibv_cq_init_attr_ex}.
 */
final class ExtendedLayout {
    static final int QP_INIT_SIZE = 136;
    static final int QP_INIT_COMP_MASK = 60;
    static final int QP_INIT_PD = 64;
    static final int QP_INIT_XRCD = 72;
    static final int QP_INIT_SEND_OPS_FLAGS = 128;

    static final int SRQ_INIT_SIZE = 64;
    static final int SRQ_INIT_ATTR = 8;
    static final int SRQ_INIT_COMP_MASK = 20;
    static final int SRQ_INIT_TYPE = 24;
    static final int SRQ_INIT_PD = 32;
    static final int SRQ_INIT_XRCD = 40;
    static final int SRQ_INIT_CQ = 48;

    static final int XRCD_INIT_SIZE = 12;
    static final int XRCD_INIT_FD = 4;
    static final int XRCD_INIT_OFLAGS = 8;

    static final int QP_OPEN_SIZE = 32;
    static final int QP_OPEN_QP_NUM = 4;
    static final int QP_OPEN_XRCD = 8;
    static final int QP_OPEN_QP_TYPE = 24;

    static final int CQ_INIT_SIZE = 56;
    static final int CQ_INIT_CQE = 0;
    static final int CQ_INIT_CQ_CONTEXT = 8;
    static final int CQ_INIT_CHANNEL = 16;
    static final int CQ_INIT_COMP_VECTOR = 24;
    static final int CQ_INIT_WC_FLAGS = 32;

    private ExtendedLayout() {}
}
