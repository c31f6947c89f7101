package io.rdma.internal.engine;

import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.AtomicCapability;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;

/**
 * Requests that a device may lack, and the order in which it completes them.
 *
 * @param device name of the device
 * @param atomics whether it has atomics, {@code ibv_query_device(3)}
 * @param immediate whether requests may carry immediate data, which iWARP has not, RFC 5040, 1.1
 * @param ordersReads whether a send or write completes after the reads before it, as the IB specification demands,
 *     volume 1, 10.8.3.3. Linux's {@code siw} completes it when TCP has its bytes, perhaps before an earlier read
 * @param readTargets scatter/gather entries of a read, {@code max_sge_rd}; 1 for iWARP
 */
public record Abilities(String device, boolean atomics, boolean immediate, boolean ordersReads, int readTargets) {
    /** Abilities of a device that has everything. */
    public static final Abilities ALL = new Abilities("", true, true, true, Integer.MAX_VALUE);

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
    }
}
