package io.rdma.internal.ibv;

/** Constants of {@code infiniband/verbs.h} that the library uses, under C's names without the prefix {@code IBV_}. */
public final class Ibv {
    private Ibv() {}

    // enum ibv_node_type, enum ibv_transport_type
    public static final int NODE_CA = 1;
    public static final int NODE_RNIC = 4;
    public static final int TRANSPORT_IB = 0;
    public static final int TRANSPORT_IWARP = 1;

    // enum ibv_device_cap_flags
    public static final int DEVICE_AUTO_PATH_MIG = 1 << 4;
    public static final int DEVICE_RC_RNR_NAK_GEN = 1 << 12;
    public static final int DEVICE_MEM_WINDOW = 1 << 17;
    public static final int DEVICE_XRC = 1 << 20;
    public static final int DEVICE_MEM_MGT_EXTENSIONS = 1 << 21;
    public static final int DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23;
    public static final int DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24;

    // enum ibv_mw_type
    public static final int MW_TYPE_1 = 1;
    public static final int MW_TYPE_2 = 2;

    // enum ibv_atomic_cap
    public static final int ATOMIC_NONE = 0;
    public static final int ATOMIC_HCA = 1;
    public static final int ATOMIC_GLOB = 2;

    // enum ibv_mtu
    public static final int MTU_256 = 1;
    public static final int MTU_512 = 2;
    public static final int MTU_1024 = 3;
    public static final int MTU_2048 = 4;
    public static final int MTU_4096 = 5;

    // enum ibv_port_state
    public static final int PORT_NOP = 0;
    public static final int PORT_DOWN = 1;
    public static final int PORT_INIT = 2;
    public static final int PORT_ARMED = 3;
    public static final int PORT_ACTIVE = 4;
    public static final int PORT_ACTIVE_DEFER = 5;

    // enum ibv_port_cap_flags
    public static final int PORT_CM_SUP = 1 << 16;

    public static final int LINK_LAYER_UNSPECIFIED = 0;
    public static final int LINK_LAYER_INFINIBAND = 1;
    public static final int LINK_LAYER_ETHERNET = 2;

    // enum ibv_gid_type
    public static final int GID_TYPE_IB = 0;
    public static final int GID_TYPE_ROCE_V1 = 1;
    public static final int GID_TYPE_ROCE_V2 = 2;

    // enum ibv_qp_type
    public static final int QPT_RC = 2;
    public static final int QPT_UC = 3;
    public static final int QPT_UD = 4;
    public static final int QPT_XRC_SEND = 9;
    public static final int QPT_XRC_RECV = 10;

    // enum ibv_qp_state
    public static final int QPS_RESET = 0;
    public static final int QPS_INIT = 1;
    public static final int QPS_RTR = 2;
    public static final int QPS_RTS = 3;
    public static final int QPS_SQD = 4;
    public static final int QPS_SQE = 5;
    public static final int QPS_ERR = 6;
    public static final int QPS_UNKNOWN = 7;

    // enum ibv_mig_state
    public static final int MIG_MIGRATED = 0;
    public static final int MIG_REARM = 1;
    public static final int MIG_ARMED = 2;

    // enum ibv_qp_attr_mask
    public static final int QP_STATE = 1;
    public static final int QP_CUR_STATE = 1 << 1;
    public static final int QP_EN_SQD_ASYNC_NOTIFY = 1 << 2;
    public static final int QP_ACCESS_FLAGS = 1 << 3;
    public static final int QP_PKEY_INDEX = 1 << 4;
    public static final int QP_PORT = 1 << 5;
    public static final int QP_QKEY = 1 << 6;
    public static final int QP_AV = 1 << 7;
    public static final int QP_PATH_MTU = 1 << 8;
    public static final int QP_TIMEOUT = 1 << 9;
    public static final int QP_RETRY_CNT = 1 << 10;
    public static final int QP_RNR_RETRY = 1 << 11;
    public static final int QP_RQ_PSN = 1 << 12;
    public static final int QP_MAX_QP_RD_ATOMIC = 1 << 13;
    public static final int QP_ALT_PATH = 1 << 14;
    public static final int QP_MIN_RNR_TIMER = 1 << 15;
    public static final int QP_SQ_PSN = 1 << 16;
    public static final int QP_MAX_DEST_RD_ATOMIC = 1 << 17;
    public static final int QP_PATH_MIG_STATE = 1 << 18;
    public static final int QP_CAP = 1 << 19;
    public static final int QP_DEST_QPN = 1 << 20;

    // enum ibv_access_flags
    public static final int ACCESS_LOCAL_WRITE = 1;
    public static final int ACCESS_REMOTE_WRITE = 1 << 1;
    public static final int ACCESS_REMOTE_READ = 1 << 2;
    public static final int ACCESS_REMOTE_ATOMIC = 1 << 3;
    public static final int ACCESS_MW_BIND = 1 << 4;
    public static final int ACCESS_ZERO_BASED = 1 << 5;
    public static final int ACCESS_ON_DEMAND = 1 << 6;
    public static final int ACCESS_HUGETLB = 1 << 7;
    public static final int ACCESS_RELAXED_ORDERING = 1 << 20;

    // enum ibv_rereg_mr_flags
    public static final int REREG_MR_CHANGE_TRANSLATION = 1;
    public static final int REREG_MR_CHANGE_PD = 1 << 1;
    public static final int REREG_MR_CHANGE_ACCESS = 1 << 2;

    // ibv_advise_mr
    public static final int ADVISE_MR_ADVICE_PREFETCH = 0;
    public static final int ADVISE_MR_ADVICE_PREFETCH_WRITE = 1;
    public static final int ADVISE_MR_ADVICE_PREFETCH_NO_FAULT = 2;
    public static final int ADVISE_MR_FLAG_FLUSH = 1;

    // enum ibv_odp_general_caps, enum ibv_odp_transport_cap_bits
    public static final int ODP_SUPPORT = 1;
    public static final int ODP_SUPPORT_IMPLICIT = 1 << 1;
    public static final int ODP_SUPPORT_SEND = 1;
    public static final int ODP_SUPPORT_RECV = 1 << 1;
    public static final int ODP_SUPPORT_WRITE = 1 << 2;
    public static final int ODP_SUPPORT_READ = 1 << 3;
    public static final int ODP_SUPPORT_ATOMIC = 1 << 4;
    public static final int ODP_SUPPORT_SRQ_RECV = 1 << 5;

    // enum ibv_fork_status
    public static final int FORK_DISABLED = 0;
    public static final int FORK_ENABLED = 1;
    public static final int FORK_UNNEEDED = 2;

    // enum ibv_wr_opcode
    public static final int WR_RDMA_WRITE = 0;
    public static final int WR_RDMA_WRITE_WITH_IMM = 1;
    public static final int WR_SEND = 2;
    public static final int WR_SEND_WITH_IMM = 3;
    public static final int WR_RDMA_READ = 4;
    public static final int WR_ATOMIC_CMP_AND_SWP = 5;
    public static final int WR_ATOMIC_FETCH_AND_ADD = 6;
    public static final int WR_LOCAL_INV = 7;
    public static final int WR_BIND_MW = 8;
    public static final int WR_SEND_WITH_INV = 9;
    public static final int WR_ATOMIC_WRITE = 15;

    // enum ibv_send_flags
    public static final int SEND_FENCE = 1;
    public static final int SEND_SIGNALED = 1 << 1;
    public static final int SEND_SOLICITED = 1 << 2;
    public static final int SEND_INLINE = 1 << 3;

    // enum ibv_wc_status
    public static final int WC_SUCCESS = 0;
    public static final int WC_LOC_LEN_ERR = 1;
    public static final int WC_LOC_QP_OP_ERR = 2;
    public static final int WC_LOC_EEC_OP_ERR = 3;
    public static final int WC_LOC_PROT_ERR = 4;
    public static final int WC_WR_FLUSH_ERR = 5;
    public static final int WC_MW_BIND_ERR = 6;
    public static final int WC_BAD_RESP_ERR = 7;
    public static final int WC_LOC_ACCESS_ERR = 8;
    public static final int WC_REM_INV_REQ_ERR = 9;
    public static final int WC_REM_ACCESS_ERR = 10;
    public static final int WC_REM_OP_ERR = 11;
    public static final int WC_RETRY_EXC_ERR = 12;
    public static final int WC_RNR_RETRY_EXC_ERR = 13;
    public static final int WC_LOC_RDD_VIOL_ERR = 14;
    public static final int WC_REM_INV_RD_REQ_ERR = 15;
    public static final int WC_REM_ABORT_ERR = 16;
    public static final int WC_INV_EECN_ERR = 17;
    public static final int WC_INV_EEC_STATE_ERR = 18;
    public static final int WC_FATAL_ERR = 19;
    public static final int WC_RESP_TIMEOUT_ERR = 20;
    public static final int WC_GENERAL_ERR = 21;

    // enum ibv_wc_opcode
    public static final int WC_SEND = 0;
    public static final int WC_RDMA_WRITE = 1;
    public static final int WC_RDMA_READ = 2;
    public static final int WC_COMP_SWAP = 3;
    public static final int WC_FETCH_ADD = 4;
    public static final int WC_BIND_MW = 5;
    public static final int WC_LOCAL_INV = 6;
    public static final int WC_ATOMIC_WRITE = 9;
    public static final int WC_RECV = 1 << 7;
    public static final int WC_RECV_RDMA_WITH_IMM = (1 << 7) + 1;

    // enum ibv_wc_flags
    public static final int WC_GRH = 1;
    public static final int WC_WITH_IMM = 1 << 1;
    public static final int WC_WITH_INV = 1 << 3;

    // enum ibv_qp_init_attr_mask
    public static final int QP_INIT_ATTR_PD = 1;
    public static final int QP_INIT_ATTR_XRCD = 1 << 1;
    public static final int QP_INIT_ATTR_SEND_OPS_FLAGS = 1 << 6;

    // enum ibv_qp_create_send_ops_flags
    public static final int QP_EX_WITH_RDMA_WRITE = 1;
    public static final int QP_EX_WITH_RDMA_WRITE_WITH_IMM = 1 << 1;
    public static final int QP_EX_WITH_SEND = 1 << 2;
    public static final int QP_EX_WITH_SEND_WITH_IMM = 1 << 3;
    public static final int QP_EX_WITH_RDMA_READ = 1 << 4;
    public static final int QP_EX_WITH_ATOMIC_CMP_AND_SWP = 1 << 5;
    public static final int QP_EX_WITH_ATOMIC_FETCH_AND_ADD = 1 << 6;
    public static final int QP_EX_WITH_LOCAL_INV = 1 << 7;
    public static final int QP_EX_WITH_BIND_MW = 1 << 8;
    public static final int QP_EX_WITH_SEND_WITH_INV = 1 << 9;
    public static final int QP_EX_WITH_ATOMIC_WRITE = 1 << 12;

    // enum ibv_create_cq_wc_flags
    public static final int WC_EX_WITH_COMPLETION_TIMESTAMP = 1 << 7;
    public static final int WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK = 1 << 11;
    public static final int WC_STANDARD_FLAGS = (1 << 7) - 1;

    // enum ibv_cq_attr_mask, enum ibv_values_mask
    public static final int CQ_ATTR_MODERATE = 1;
    public static final int VALUES_MASK_RAW_CLOCK = 1;

    // enum ibv_srq_type
    public static final int SRQT_XRC = 1;

    // enum ibv_srq_init_attr_mask
    public static final int SRQ_INIT_ATTR_TYPE = 1;
    public static final int SRQ_INIT_ATTR_PD = 1 << 1;
    public static final int SRQ_INIT_ATTR_XRCD = 1 << 2;
    public static final int SRQ_INIT_ATTR_CQ = 1 << 3;

    // enum ibv_qp_open_attr_mask
    public static final int QP_OPEN_ATTR_NUM = 1;
    public static final int QP_OPEN_ATTR_XRCD = 1 << 1;
    public static final int QP_OPEN_ATTR_TYPE = 1 << 3;

    // enum ibv_xrcd_init_attr_mask
    public static final int XRCD_INIT_ATTR_FD = 1;
    public static final int XRCD_INIT_ATTR_OFLAGS = 1 << 1;

    // enum ibv_srq_attr_mask
    public static final int SRQ_MAX_WR = 1;
    public static final int SRQ_LIMIT = 1 << 1;

    // enum ibv_event_type
    public static final int EVENT_CQ_ERR = 0;
    public static final int EVENT_QP_FATAL = 1;
    public static final int EVENT_QP_REQ_ERR = 2;
    public static final int EVENT_QP_ACCESS_ERR = 3;
    public static final int EVENT_COMM_EST = 4;
    public static final int EVENT_SQ_DRAINED = 5;
    public static final int EVENT_PATH_MIG = 6;
    public static final int EVENT_PATH_MIG_ERR = 7;
    public static final int EVENT_DEVICE_FATAL = 8;
    public static final int EVENT_PORT_ACTIVE = 9;
    public static final int EVENT_PORT_ERR = 10;
    public static final int EVENT_LID_CHANGE = 11;
    public static final int EVENT_PKEY_CHANGE = 12;
    public static final int EVENT_SM_CHANGE = 13;
    public static final int EVENT_SRQ_ERR = 14;
    public static final int EVENT_SRQ_LIMIT_REACHED = 15;
    public static final int EVENT_QP_LAST_WQE_REACHED = 16;
    public static final int EVENT_CLIENT_REREGISTER = 17;
    public static final int EVENT_GID_CHANGE = 18;
    public static final int EVENT_WQ_FATAL = 19;
}
