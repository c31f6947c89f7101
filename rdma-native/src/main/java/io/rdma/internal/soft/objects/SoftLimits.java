package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.soft.wire.Opcode;

/** Limits of the software device, and the attributes that report them. */
public final class SoftLimits {
    public static final long GUID = 0x0200_00ff_fe00_0001L;
    public static final int MAX_QP_WR = 16384;
    public static final int MAX_SGE = 30;
    public static final int MAX_SRQ_WR = 1 << 17;
    public static final int MAX_CQE = 1 << 18;
    public static final int MAX_INLINE = 256;
    public static final int MAX_RD_ATOMIC = 128;
    private static final int MAX_GROUPS = 1 << 10;
    private static final int MAX_GROUP_MEMBERS = 1 << 10;
    private static final int MAX_AH = 1 << 19;
    private static final int MAX_MW = 1 << 19;
    private static final int PAGE_SIZES = 0xfffff000;
    private static final int PORT_PHYS_DISABLED = 3;
    private static final int PORT_PHYS_LINK_UP = 5;

    private SoftLimits() {}

    public static boolean outside(int value, int most) {
        return value < 0 || value > most;
    }

    /** Returns the capabilities of a device, {@code IBV_DEVICE_*}. */
    public static int capabilities(Personality personality) {
        return DEVICE_MEM_MGT_EXTENSIONS
                | (personality.hasReceiverNotReady() ? DEVICE_RC_RNR_NAK_GEN : 0)
                | (personality.hasWindows() ? DEVICE_MEM_WINDOW | DEVICE_MEM_WINDOW_TYPE_2B : 0);
    }

    public static DeviceAttr device(Personality personality) {
        boolean datagrams = personality.has(Opcode.UD);
        return new DeviceAttr(
                "0.1.0",
                GUID,
                GUID,
                Long.MAX_VALUE,
                PAGE_SIZES,
                0,
                0,
                0,
                1 << 16,
                MAX_QP_WR,
                capabilities(personality),
                MAX_SGE,
                MAX_SGE,
                1 << 16,
                MAX_CQE,
                1 << 19,
                1 << 16,
                MAX_RD_ATOMIC,
                0,
                1 << 23,
                MAX_RD_ATOMIC,
                0,
                personality.hasAtomics() ? ATOMIC_GLOB : ATOMIC_NONE,
                personality.hasWindows() ? MAX_MW : 0,
                datagrams ? MAX_GROUPS : 0,
                datagrams ? MAX_GROUP_MEMBERS : 0,
                datagrams ? MAX_AH : 0,
                1 << 16,
                MAX_SRQ_WR,
                MAX_SGE,
                1,
                0,
                1);
    }

    public static PortAttr port(boolean up, int activeMtu, int qkeyViolations) {
        return new PortAttr(
                up ? PORT_ACTIVE : PORT_DOWN,
                MTU_4096,
                activeMtu,
                1,
                0,
                1 << 30,
                0,
                qkeyViolations,
                1,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                1,
                1,
                up ? PORT_PHYS_LINK_UP : PORT_PHYS_DISABLED,
                LINK_LAYER_ETHERNET);
    }
}
