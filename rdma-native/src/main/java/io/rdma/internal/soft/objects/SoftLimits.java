package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.soft.wire.Opcode;

/**
 * Limits of a software device, and the attributes that report them.
 *
 * @param qpWr requests in a send or receive queue
 * @param sge entries of a request
 * @param srqWr requests in a shared receive queue
 * @param cqe entries of a completion queue
 * @param inline bytes that can be sent inline, which no attribute reports
 * @param rdAtomic reads and atomics in flight in each direction
 */
public record SoftLimits(int qpWr, int sge, int srqWr, int cqe, int inline, int rdAtomic) {
    static final SoftLimits LARGE = new SoftLimits(16384, 30, 1 << 17, 1 << 18, 256, 128);
    static final SoftLimits SMALL = new SoftLimits(256, 2, 256, 1 << 12, 0, 1);
    /** Completion vectors, which all lead to the same threads. */
    public static final int COMPLETION_VECTORS = 4;

    static final long GUID = 0x0200_00ff_fe00_0001L;

    /**
     * Identifier of the vendor: that of the GUID, which is locally administered. Not 0xffffff, by which Linux's
     * rdma_rxe is known.
     */
    private static final int VENDOR = 0x02_0000;

    private static final int MAX_GROUPS = 1 << 10;
    private static final int MAX_GROUP_MEMBERS = 1 << 10;
    private static final int MAX_AH = 1 << 19;
    private static final int MAX_MW = 1 << 19;
    private static final int PAGE_SIZES = 0xfffff000;
    private static final int PORT_PHYS_DISABLED = 3;
    private static final int PORT_PHYS_LINK_UP = 5;

    public static boolean outside(int value, int most) {
        return value < 0 || value > most;
    }

    /** Returns the attributes of a device with these limits. */
    DeviceAttr device(Personality personality) {
        boolean datagrams = personality.has(Opcode.UD);
        return new DeviceAttr(
                "0.1.0",
                GUID,
                GUID,
                Long.MAX_VALUE,
                PAGE_SIZES,
                VENDOR,
                0,
                0,
                1 << 16,
                qpWr,
                personality.capabilities(),
                sge,
                sge,
                1 << 16,
                cqe,
                1 << 19,
                1 << 16,
                rdAtomic,
                0,
                1 << 23,
                rdAtomic,
                0,
                personality.hasAtomics() ? ATOMIC_GLOB : ATOMIC_NONE,
                personality.hasWindows() ? MAX_MW : 0,
                datagrams ? MAX_GROUPS : 0,
                datagrams ? MAX_GROUP_MEMBERS : 0,
                datagrams ? MAX_AH : 0,
                1 << 16,
                srqWr,
                sge,
                1,
                0,
                personality.port());
    }

    public static PortAttr port(boolean up, int activeMtu, int gids, int qkeyViolations) {
        return new PortAttr(
                up ? PORT_ACTIVE : PORT_DOWN,
                MTU_4096,
                activeMtu,
                gids,
                PORT_CM_SUP,
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
                LINK_LAYER_ETHERNET,
                0);
    }
}
