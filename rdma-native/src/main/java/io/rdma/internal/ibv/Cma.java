package io.rdma.internal.ibv;

/** Constants of {@code rdma/rdma_cma.h} that the library uses, under C's names without the prefix {@code RDMA_}. */
public final class Cma {
    private Cma() {}

    // enum rdma_port_space
    public static final int PS_TCP = 0x0106;
    public static final int PS_UDP = 0x0111;

    // enum rdma_cm_event_type
    public static final int CM_EVENT_ADDR_RESOLVED = 0;
    public static final int CM_EVENT_ADDR_ERROR = 1;
    public static final int CM_EVENT_ROUTE_RESOLVED = 2;
    public static final int CM_EVENT_ROUTE_ERROR = 3;
    public static final int CM_EVENT_CONNECT_REQUEST = 4;
    public static final int CM_EVENT_CONNECT_RESPONSE = 5;
    public static final int CM_EVENT_CONNECT_ERROR = 6;
    public static final int CM_EVENT_UNREACHABLE = 7;
    public static final int CM_EVENT_REJECTED = 8;
    public static final int CM_EVENT_ESTABLISHED = 9;
    public static final int CM_EVENT_DISCONNECTED = 10;
    public static final int CM_EVENT_DEVICE_REMOVAL = 11;
    public static final int CM_EVENT_MULTICAST_JOIN = 12;
    public static final int CM_EVENT_MULTICAST_ERROR = 13;
    public static final int CM_EVENT_ADDR_CHANGE = 14;
    public static final int CM_EVENT_TIMEWAIT_EXIT = 15;

    /** {@code qkey} of queue pairs and groups in the UDP port space. */
    public static final int UDP_QKEY = 0x01234567;

    /** Value for responder resources or initiator depth: the device's limit, or the value that the peer requested. */
    public static final int MAX_RESP_RES = 0xff;

    public static final int MAX_INIT_DEPTH = 0xff;

    // rdma_set_option(3)
    public static final int OPTION_ID = 0;
    public static final int OPTION_ID_TOS = 0;
    public static final int OPTION_ID_REUSEADDR = 1;
    public static final int OPTION_ID_AFONLY = 2;
    public static final int OPTION_ID_ACK_TIMEOUT = 3;

    // enum rdma_cm_join_mc_attr_mask, enum rdma_cm_mc_join_flags
    public static final int CM_JOIN_MC_ATTR_ADDRESS = 1;
    public static final int CM_JOIN_MC_ATTR_JOIN_FLAGS = 2;
    public static final int MC_JOIN_FLAG_FULLMEMBER = 0;
    public static final int MC_JOIN_FLAG_SENDONLY_FULLMEMBER = 1;
}
