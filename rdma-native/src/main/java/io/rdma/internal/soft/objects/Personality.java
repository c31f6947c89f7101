package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.*;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.DeviceEntry;
import io.rdma.internal.os.MappedFiles;
import io.rdma.internal.os.ProcessMemory;
import io.rdma.internal.soft.wire.Opcode;
import java.util.Arrays;
import java.util.Optional;

// Invariant: a personality takes away what a class of devices lacks, or does always what such devices do sometimes.
// Every personality sends packets of RoCE v2.

/** Class of devices that a software device stands for. Each process has a device of each, with a name of its own. */
public enum Personality {
    /** Everything that the software device has. */
    COMPLETE("soft0", SoftLimits.LARGE),

    /** Small limits and no inline data, as small or old devices have them. */
    SMALL("soft-small0", SoftLimits.SMALL),

    /**
     * iWARP, RFC 5040 to 5044. RDMA CM alone connects, and moves the queue pair to RTS itself. The server sends after
     * the client has. A message without a receive ends the connection, like any request that the peer refuses. It has
     * only reliable connections, without atomics, immediate data and memory windows, as with Linux's siw.
     */
    IWARP("soft-iwarp0", SoftLimits.LARGE),

    /** On-demand paging of all regions, as if memory were short. Pages are missing at first, and again and again. */
    ON_DEMAND("soft-odp0", SoftLimits.LARGE),

    /**
     * Writes that reach memory in any order until something tells of them, as with devices that spread the packets of a
     * connection over several ways.
     */
    UNORDERED("soft-unordered0", SoftLimits.LARGE),

    /** Two ports, the first of which has no link and no address. */
    TWO_PORTS("soft-ports0", SoftLimits.LARGE);

    private static final int IMMEDIATE = 1 << WR_SEND_WITH_IMM | 1 << WR_RDMA_WRITE_WITH_IMM;
    private static final int ATOMICS = 1 << WR_ATOMIC_CMP_AND_SWP | 1 << WR_ATOMIC_FETCH_AND_ADD;
    private static final int DATAGRAMS = 1 << WR_SEND | 1 << WR_SEND_WITH_IMM;
    private static final int UNRELIABLE = DATAGRAMS | 1 << WR_RDMA_WRITE | 1 << WR_RDMA_WRITE_WITH_IMM;
    private static final int RELIABLE =
            UNRELIABLE | ATOMICS | 1 << WR_RDMA_READ | 1 << WR_LOCAL_INV | 1 << WR_BIND_MW | 1 << WR_SEND_WITH_INV;

    private final String device;
    private final SoftLimits limits;

    Personality(String device, SoftLimits limits) {
        this.device = device;
        this.limits = limits;
    }

    /**
     * Returns the name of this process's device.
     *
     * @return such as {@code soft0}
     */
    public String device() {
        return device;
    }

    /** Returns the personality whose device has a name. */
    public static Optional<Personality> of(String device) {
        return Arrays.stream(values()).filter(one -> one.device.equals(device)).findFirst();
    }

    public SoftLimits limits() {
        return limits;
    }

    /** Returns the attributes of a device. */
    public DeviceAttr attributes() {
        return limits.device(this);
    }

    /** Returns the capabilities of a device, {@code IBV_DEVICE_*}. */
    public int capabilities() {
        return DEVICE_MEM_MGT_EXTENSIONS
                | (isIwarp() ? 0 : DEVICE_AUTO_PATH_MIG)
                | (has(Opcode.XRC) ? DEVICE_XRC : 0)
                | (hasReceiverNotReady() ? DEVICE_RC_RNR_NAK_GEN : 0)
                | (hasWindows() ? DEVICE_MEM_WINDOW | DEVICE_MEM_WINDOW_TYPE_2B : 0);
    }

    /** Returns the number of the last port, which alone has a link and addresses. */
    public int port() {
        return this == TWO_PORTS ? 2 : 1;
    }

    public boolean isIwarp() {
        return this == IWARP;
    }

    /** Returns the entry of a device in {@code ibv_get_device_list(3)}. */
    public DeviceEntry entry(String name) {
        return isIwarp()
                ? new DeviceEntry(name, SoftLimits.GUID, NODE_RNIC, TRANSPORT_IWARP)
                : new DeviceEntry(name, SoftLimits.GUID, NODE_CA, TRANSPORT_IB);
    }

    /** Returns the type of the device's GID, {@code IBV_GID_TYPE_*}. */
    public int gidType() {
        return isIwarp() ? GID_TYPE_IB : GID_TYPE_ROCE_V2;
    }

    /** Returns whether there are queue pairs of a transport. */
    public boolean has(int transport) {
        return !isIwarp() || transport == Opcode.RC;
    }

    /** Returns whether regions may be paged on demand, as far as this system allows it. */
    public boolean hasOnDemandPaging() {
        return (this == COMPLETE || this == ON_DEMAND) && ProcessMemory.isAvailable();
    }

    /** Returns whether a region with some rights is paged on demand. */
    public boolean pages(int access) {
        return this == ON_DEMAND || (access & ACCESS_ON_DEMAND) != 0;
    }

    /** Returns the operations of a transport that may use on-demand memory: bits {@code IBV_ODP_SUPPORT_*}. */
    public int onDemandOperations(int transport) {
        int messages = ODP_SUPPORT_SEND | ODP_SUPPORT_RECV | ODP_SUPPORT_SRQ_RECV;
        return switch (hasOnDemandPaging() ? transport : -1) {
            case Opcode.RC, Opcode.XRC -> messages | ODP_SUPPORT_WRITE | ODP_SUPPORT_READ | ODP_SUPPORT_ATOMIC;
            case Opcode.UC -> messages | ODP_SUPPORT_WRITE;
            case Opcode.UD -> messages;
            default -> 0;
        };
    }

    /** Returns whether bytes of writes may be placed in any order. */
    public boolean placesInAnyOrder() {
        return this == UNORDERED;
    }

    /**
     * Returns the capabilities of the memory placement extensions, {@code IB_UVERBS_DEVICE_*}, which the personalities
     * that stand for older devices lack.
     */
    public long placement() {
        boolean has = hasPlacement();
        boolean persists = has && MappedFiles.isAvailable();
        return has ? DEVICE_FLUSH_GLOBAL | DEVICE_ATOMIC_WRITE | (persists ? DEVICE_FLUSH_PERSISTENT : 0) : 0;
    }

    /** Returns whether the rate of queue pairs can be limited. */
    public boolean limitsRates() {
        return this != IWARP && this != SMALL;
    }

    /** Returns whether FLUSH and ATOMIC WRITE of a peer are executed. */
    public boolean hasPlacement() {
        return this != IWARP && this != SMALL;
    }

    /** Returns the rights that a region can have, {@code IBV_ACCESS_*}, of those for a FLUSH. */
    public int flushRights() {
        long has = placement();
        return ((has & DEVICE_FLUSH_GLOBAL) != 0 ? ACCESS_FLUSH_GLOBAL : 0)
                | ((has & DEVICE_FLUSH_PERSISTENT) != 0 ? ACCESS_FLUSH_PERSISTENT : 0);
    }

    boolean hasAtomics() {
        return !isIwarp();
    }

    public boolean hasWindows() {
        return !isIwarp();
    }

    /** Returns whether a sender is told to try again when its message finds no receive. */
    public boolean hasReceiverNotReady() {
        return !isIwarp();
    }

    /**
     * Returns the status of a request that the peer refused. iWARP's peer terminates the connection, RFC 5040, 4.8,
     * which flushes every request alike.
     *
     * @param status status by which InfiniBand reports it
     */
    public int refusal(int status) {
        return isIwarp() ? WC_WR_FLUSH_ERR : status;
    }

    /** Returns the operations that a transport supports, {@code ibv_post_send(3)}: bits {@code 1 << IBV_WR_*}. */
    public int operations(int transport) {
        return switch (transport) {
            case Opcode.UD -> DATAGRAMS;
            case Opcode.UC -> UNRELIABLE;
            default -> isIwarp() ? RELIABLE & ~(IMMEDIATE | ATOMICS | 1 << WR_BIND_MW) : RELIABLE;
        };
    }
}
