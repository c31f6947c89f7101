package io.rdma.types;

import java.util.EnumSet;
import java.util.Set;

/**
 * A capability of a port, {@code enum ibv_port_cap_flags} and {@code enum ibv_port_cap_flags2} of
 * {@code ibv_query_port(3)}.
 */
public enum PortCapability {
    /** {@code IBV_PORT_SM}: a subnet manager runs on the port. */
    SM(1 << 1, false),
    /** {@code IBV_PORT_NOTICE_SUP}: notices. */
    NOTICE_SUP(1 << 2, false),
    /** {@code IBV_PORT_TRAP_SUP}: traps. */
    TRAP_SUP(1 << 3, false),
    /** {@code IBV_PORT_OPT_IPD_SUP}: optional inter-packet delays. */
    OPT_IPD_SUP(1 << 4, false),
    /** {@code IBV_PORT_AUTO_MIGR_SUP}: automatic path migration. */
    AUTO_MIGR_SUP(1 << 5, false),
    /** {@code IBV_PORT_SL_MAP_SUP}: mapping of service levels to virtual lanes. */
    SL_MAP_SUP(1 << 6, false),
    /** {@code IBV_PORT_MKEY_NVRAM}: a management key that outlives a restart. */
    MKEY_NVRAM(1 << 7, false),
    /** {@code IBV_PORT_PKEY_NVRAM}: partition keys that outlive a restart. */
    PKEY_NVRAM(1 << 8, false),
    /** {@code IBV_PORT_LED_INFO_SUP}: control of the LED. */
    LED_INFO_SUP(1 << 9, false),
    /** {@code IBV_PORT_SYS_IMAGE_GUID_SUP}: a GUID of the system image. */
    SYS_IMAGE_GUID_SUP(1 << 11, false),
    /** {@code IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP}: traps for partition keys at external ports of switches. */
    PKEY_SW_EXT_PORT_TRAP_SUP(1 << 12, false),
    /** {@code IBV_PORT_EXTENDED_SPEEDS_SUP}: extended link speeds. */
    EXTENDED_SPEEDS_SUP(1 << 14, false),
    /** {@code IBV_PORT_CAP_MASK2_SUP}: the second mask is valid. */
    CAP_MASK2_SUP(1 << 15, false),
    /** {@code IBV_PORT_CM_SUP}: a connection manager answers on the port. */
    CM_SUP(1 << 16, false),
    /** {@code IBV_PORT_SNMP_TUNNEL_SUP}: tunnels of SNMP. */
    SNMP_TUNNEL_SUP(1 << 17, false),
    /** {@code IBV_PORT_REINIT_SUP}: initialization again. */
    REINIT_SUP(1 << 18, false),
    /** {@code IBV_PORT_DEVICE_MGMT_SUP}: device management. */
    DEVICE_MGMT_SUP(1 << 19, false),
    /** {@code IBV_PORT_VENDOR_CLASS_SUP}: management classes of the vendor. */
    VENDOR_CLASS_SUP(1 << 20, false),
    /** {@code IBV_PORT_DR_NOTICE_SUP}: directed-route notices. */
    DR_NOTICE_SUP(1 << 21, false),
    /** {@code IBV_PORT_CAP_MASK_NOTICE_SUP}: notices of changes of this mask. */
    CAP_MASK_NOTICE_SUP(1 << 22, false),
    /** {@code IBV_PORT_BOOT_MGMT_SUP}: boot management. */
    BOOT_MGMT_SUP(1 << 23, false),
    /** {@code IBV_PORT_LINK_LATENCY_SUP}: measuring the latency of the link. */
    LINK_LATENCY_SUP(1 << 24, false),
    /** {@code IBV_PORT_CLIENT_REG_SUP}: the event CLIENT_REREGISTER is raised. */
    CLIENT_REG_SUP(1 << 25, false),
    /** {@code IBV_PORT_IP_BASED_GIDS}: GIDs are made of IP addresses. */
    IP_BASED_GIDS(1 << 26, false),
    /** {@code IBV_PORT_SET_NODE_DESC_SUP}: the description of the node can be set. */
    SET_NODE_DESC_SUP(1 << 0, true),
    /** {@code IBV_PORT_INFO_EXT_SUP}: extended attributes of the port. */
    INFO_EXT_SUP(1 << 1, true),
    /** {@code IBV_PORT_VIRT_SUP}: virtual ports. */
    VIRT_SUP(1 << 2, true),
    /** {@code IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP}: a table of the states of a switch's ports. */
    SWITCH_PORT_STATE_TABLE_SUP(1 << 3, true),
    /** {@code IBV_PORT_LINK_WIDTH_2X_SUP}: links of two lanes. */
    LINK_WIDTH_2X_SUP(1 << 4, true),
    /** {@code IBV_PORT_LINK_SPEED_HDR_SUP}: the link speed HDR. */
    LINK_SPEED_HDR_SUP(1 << 5, true),
    /** {@code IBV_PORT_LINK_SPEED_NDR_SUP}: the link speed NDR. */
    LINK_SPEED_NDR_SUP(1 << 10, true);

    private static final PortCapability[] VALUES = values();
    private final int code;
    private final boolean second;

    PortCapability(int code, boolean second) {
        this.code = code;
        this.second = second;
    }

    /**
     * Returns the bit of this capability in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the mask that has the bit.
     *
     * @return true for {@code port_cap_flags2}, false for {@code port_cap_flags}
     */
    public boolean isOfSecondMask() {
        return second;
    }

    /**
     * Returns the capabilities of both bit masks.
     *
     * @param flags {@code port_cap_flags}; bits without a constant here are ignored
     * @param flags2 {@code port_cap_flags2}
     * @return the capabilities
     */
    public static Set<PortCapability> of(int flags, int flags2) {
        EnumSet<PortCapability> capabilities = EnumSet.noneOf(PortCapability.class);
        for (PortCapability capability : VALUES) {
            if (((capability.second ? flags2 : flags) & capability.code) != 0) {
                capabilities.add(capability);
            }
        }
        return capabilities;
    }
}
