package io.rdma.internal.engine;

import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.AtomicCapability;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;

/**
 * Kinds of requests that a device may lack.
 *
 * @param device name of the device
 * @param atomics whether it has atomics, {@code ibv_query_device(3)}
 * @param immediate whether requests may carry immediate data, which iWARP has not, RFC 5040, 1.1
 */
public record Abilities(String device, boolean atomics, boolean immediate) {
    /** Abilities of a device that has everything. */
    public static final Abilities ALL = new Abilities("", true, true);

    /**
     * Returns the abilities of a device.
     *
     * @param context open device
     * @param attributes as the device was queried
     * @return its abilities
     */
    public static Abilities of(DeviceContext context, DeviceAttributes attributes) {
        return new Abilities(context.name(), attributes.atomicCap() != AtomicCapability.NONE, !context.isIwarp());
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
