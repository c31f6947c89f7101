package io.rdma.types;

import io.rdma.internal.ibv.MemoryPlacement;
import java.util.EnumSet;
import java.util.Set;

/**
 * A capability of a device, {@code enum ibv_device_cap_flags} of {@code ibv_query_device(3)}. Those above 32 bits are
 * reported by {@code ibv_query_device_ex(3)} alone, see {@link ExtendedDeviceAttributes#capabilities}.
 */
public enum DeviceCapability {
    /** {@code IBV_DEVICE_RESIZE_MAX_WR}: the number of work requests of a queue can be changed. */
    RESIZE_MAX_WR(1 << 0),
    /** {@code IBV_DEVICE_BAD_PKEY_CNTR}: packets with a wrong partition key are counted. */
    BAD_PKEY_CNTR(1 << 1),
    /** {@code IBV_DEVICE_BAD_QKEY_CNTR}: datagrams with a wrong queue key are counted. */
    BAD_QKEY_CNTR(1 << 2),
    /** {@code IBV_DEVICE_RAW_MULTI}: raw packets can be sent to multicast addresses. */
    RAW_MULTI(1 << 3),
    /** {@code IBV_DEVICE_AUTO_PATH_MIG}: a connection can move to an alternate path by itself. */
    AUTO_PATH_MIG(1 << 4),
    /** {@code IBV_DEVICE_CHANGE_PHY_PORT}: the port of a queue pair can be changed. */
    CHANGE_PHY_PORT(1 << 5),
    /** {@code IBV_DEVICE_UD_AV_PORT_ENFORCE}: a datagram must leave by the port of its address handle. */
    UD_AV_PORT_ENFORCE(1 << 6),
    /** {@code IBV_DEVICE_CURR_QP_STATE_MOD}: a transition may name the current state. */
    CURR_QP_STATE_MOD(1 << 7),
    /** {@code IBV_DEVICE_SHUTDOWN_PORT}: a port can be shut down. */
    SHUTDOWN_PORT(1 << 8),
    /** {@code IBV_DEVICE_INIT_TYPE}: a port has a type of initialization. */
    INIT_TYPE(1 << 9),
    /** {@code IBV_DEVICE_PORT_ACTIVE_EVENT}: the event PORT_ACTIVE is raised. */
    PORT_ACTIVE_EVENT(1 << 10),
    /** {@code IBV_DEVICE_SYS_IMAGE_GUID}: the device has a GUID of its system image. */
    SYS_IMAGE_GUID(1 << 11),
    /** {@code IBV_DEVICE_RC_RNR_NAK_GEN}: a receiver of a reliable connection reports that it is not ready. */
    RC_RNR_NAK_GEN(1 << 12),
    /** {@code IBV_DEVICE_SRQ_RESIZE}: a shared receive queue can be resized. */
    SRQ_RESIZE(1 << 13),
    /** {@code IBV_DEVICE_N_NOTIFY_CQ}: an event can be asked for after a number of completions. */
    N_NOTIFY_CQ(1 << 14),
    /** {@code IBV_DEVICE_MEM_WINDOW}: memory windows of type 1. */
    MEM_WINDOW(1 << 17),
    /** {@code IBV_DEVICE_UD_IP_CSUM}: checksums of IP over datagrams. */
    UD_IP_CSUM(1 << 18),
    /** {@code IBV_DEVICE_XRC}: extended reliable connections. */
    XRC(1 << 20),
    /** {@code IBV_DEVICE_MEM_MGT_EXTENSIONS}: local invalidation and sends with invalidate. */
    MEM_MGT_EXTENSIONS(1 << 21),
    /** {@code IBV_DEVICE_MEM_WINDOW_TYPE_2A}: memory windows of type 2A. */
    MEM_WINDOW_TYPE_2A(1 << 23),
    /** {@code IBV_DEVICE_MEM_WINDOW_TYPE_2B}: memory windows of type 2B. */
    MEM_WINDOW_TYPE_2B(1 << 24),
    /** {@code IBV_DEVICE_RC_IP_CSUM}: checksums of IP over reliable connections. */
    RC_IP_CSUM(1 << 25),
    /** {@code IBV_DEVICE_RAW_IP_CSUM}: checksums of IP in raw packets. */
    RAW_IP_CSUM(1 << 26),
    /** {@code IBV_DEVICE_MANAGED_FLOW_STEERING}: rules that steer packets to queue pairs. */
    MANAGED_FLOW_STEERING(1 << 29),
    /** {@code IB_UVERBS_DEVICE_FLUSH_GLOBAL}: {@link WorkRequestOpcode#FLUSH} for global visibility. */
    FLUSH_GLOBAL(MemoryPlacement.DEVICE_FLUSH_GLOBAL),
    /** {@code IB_UVERBS_DEVICE_FLUSH_PERSISTENT}: {@link WorkRequestOpcode#FLUSH} for persistence. */
    FLUSH_PERSISTENT(MemoryPlacement.DEVICE_FLUSH_PERSISTENT),
    /** {@code IB_UVERBS_DEVICE_ATOMIC_WRITE}: {@link WorkRequestOpcode#ATOMIC_WRITE}. */
    ATOMIC_WRITE(MemoryPlacement.DEVICE_ATOMIC_WRITE);

    private static final DeviceCapability[] VALUES = values();
    private final long code;

    DeviceCapability(long code) {
        this.code = code;
    }

    /**
     * Returns the bit of this capability in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h} or {@code rdma/ib_user_verbs.h}
     */
    public long code() {
        return code;
    }

    /**
     * Returns the capabilities of a bit mask.
     *
     * @param flags {@code IBV_DEVICE_*}, ORed; bits without a constant here are ignored
     * @return the capabilities
     */
    public static Set<DeviceCapability> of(long flags) {
        EnumSet<DeviceCapability> capabilities = EnumSet.noneOf(DeviceCapability.class);
        for (DeviceCapability capability : VALUES) {
            if ((flags & capability.code) != 0) {
                capabilities.add(capability);
            }
        }
        return capabilities;
    }
}
