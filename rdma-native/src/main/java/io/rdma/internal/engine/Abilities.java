package io.rdma.internal.engine;

import io.rdma.engine.FlushMethod;
import io.rdma.engine.UnreliableConnectionException;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.AccessFlag;
import io.rdma.types.AtomicCapability;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.PlacementType;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import java.util.EnumSet;
import java.util.Set;

/**
 * Requests that a device may lack, and the order in which it completes them.
 *
 * @param device name of the device
 * @param atomics whether it has atomics, {@code ibv_query_device(3)}
 * @param immediate whether requests may carry immediate data, which iWARP has not, RFC 5040, 1.1
 * @param ordersReads whether a send or write completes after the reads before it, as the IB specification demands,
 *     volume 1, 10.8.3.3. Linux's {@code siw} completes it when TCP has its bytes, perhaps before an earlier read
 * @param readTargets scatter/gather entries of a read, {@code max_sge_rd}; 1 for iWARP
 * @param placement memory placement extensions that both sides have
 * @param numbersMessages whether the connection is unreliable, {@link io.rdma.verbs.QueuePairType#UC}: the immediate
 *     data of a message are its number
 */
public record Abilities(
        String device,
        boolean atomics,
        boolean immediate,
        boolean ordersReads,
        int readTargets,
        PlacementAbilities placement,
        boolean numbersMessages) {
    /** Abilities of a device that has everything but extensions. */
    public static final Abilities ALL = new Abilities("", true, true, true, Integer.MAX_VALUE);

    /** Abilities of a reliable connection without the memory placement extensions. */
    Abilities(String device, boolean atomics, boolean immediate, boolean ordersReads, int readTargets) {
        this(device, atomics, immediate, ordersReads, readTargets, PlacementAbilities.NONE, false);
    }

    /**
     * Returns the abilities of a device.
     *
     * @param context open device
     * @param attributes as the device was queried
     * @return its abilities
     */
    public static Abilities of(DeviceContext context, DeviceAttributes attributes) {
        boolean infiniBand = !context.isIwarp();
        boolean atomics = attributes.atomicCap() != AtomicCapability.NONE;
        int readTargets = Math.max(1, Math.min(attributes.maxSge(), attributes.maxSgeRd()));
        return new Abilities(context.name(), atomics, infiniBand, infiniBand, readTargets);
    }

    /**
     * Returns the same abilities, and some memory placement extensions.
     *
     * @param both those that both sides have
     * @return the abilities of a connection
     */
    public Abilities withPlacement(PlacementAbilities both) {
        return new Abilities(device, atomics, immediate, ordersReads, readTargets, both, numbersMessages);
    }

    /** Returns the same abilities for an unreliable connection or a reliable one. */
    public Abilities withNumbers(boolean numbers) {
        return new Abilities(device, atomics, immediate, ordersReads, readTargets, placement, numbers);
    }

    /**
     * Checks that the connection loses no messages.
     *
     * @param user use that needs every message, in the plural
     * @throws UnreliableConnectionException if the connection is unreliable
     */
    public void requireReliable(String user) {
        if (numbersMessages) {
            throw new UnreliableConnectionException(user);
        }
    }

    /**
     * Returns the rights that the queue pair of a connection gives to the peer. The memory must give them, too.
     *
     * @param device memory placement extensions of the device
     * @return the rights
     */
    public Set<AccessFlag> rights(PlacementAbilities device) {
        Set<AccessFlag> rights = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        if (atomics) {
            rights.add(AccessFlag.REMOTE_ATOMIC);
        }
        if (device.flushes()) {
            rights.add(AccessFlag.FLUSH_GLOBAL);
        }
        if (device.persists()) {
            rights.add(AccessFlag.FLUSH_PERSISTENT);
        }
        return rights;
    }

    /**
     * Returns the means for a guarantee about what was written.
     *
     * @param reads whether there are reads on the connection
     */
    FlushMethod flushMethod(PlacementType type, boolean reads) {
        if (reads && placement.has(type)) {
            return FlushMethod.FLUSH;
        }
        return reads && type == PlacementType.GLOBAL_VISIBILITY ? FlushMethod.READ_AFTER_WRITE : FlushMethod.NONE;
    }

    /**
     * Refuses what the device lacks.
     *
     * @throws UnsupportedRequestException with the remedy
     */
    void require(WorkRequest request) {
        WorkRequestOpcode opcode = request.opcode();
        if (!atomics && request.isAtomic()) {
            throw new UnsupportedRequestException(
                    opcode, device, "has no atomics: let the owner of the memory change it when a message asks for it");
        }
        if (!immediate
                && (opcode == WorkRequestOpcode.SEND_WITH_IMM || opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM)) {
            throw new UnsupportedRequestException(
                    opcode, device, "has no immediate data, as it speaks iWARP: put the bytes into a message");
        }
        if (numbersMessages) {
            requireUnreliable(opcode);
        }
        if (opcode == WorkRequestOpcode.FLUSH && !placement.has(PlacementRequest.type(request))) {
            throw new UnsupportedRequestException(
                    opcode,
                    device,
                    "or its peer has none for " + PlacementRequest.type(request)
                            + ": ask flushMethod before; for persistence let the owner of the memory force its file"
                            + " when a message asks for it");
        }
        if (opcode == WorkRequestOpcode.ATOMIC_WRITE && !placement.atomicWrites()) {
            throw new UnsupportedRequestException(
                    opcode, device, "or its peer has none: use compareAndSwap or fetchAndAdd behind the writes");
        }
    }

    /** Refuses what unreliable connections lack, and messages with immediate data of the application. */
    private static void requireUnreliable(WorkRequestOpcode opcode) {
        String lack = switch (opcode) {
            case SEND_WITH_IMM ->
                "has the number of each message in the immediate data: put the bytes into the message";
            case SEND_WITH_INV, BIND_MW ->
                "has no memory windows: share memory by grant, or use a reliable connection (QueuePairType.RC)";
            case FLUSH, ATOMIC_WRITE -> "has no such request: use a reliable connection (QueuePairType.RC)";
            default -> null;
        };
        if (lack != null) {
            throw new UnsupportedRequestException(opcode, "an unreliable connection (QueuePairType.UC)", lack);
        }
    }
}
