package io.rdma.internal.engine;

import io.rdma.engine.FlushMethod;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.types.PlacementType;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;

/** Requests of the memory placement extensions, IB specification volume 1, annex A19, and what stands for them. */
public final class PlacementRequest {
    private static final PlacementType[] TYPES = PlacementType.values();

    private PlacementRequest() {}

    /** Returns the guarantee of a FLUSH. */
    static PlacementType type(WorkRequest flush) {
        return TYPES[flush.immediate()];
    }

    /**
     * Creates the request for 8 bytes that are written at once, after all writes before it.
     *
     * @param target 8 bytes on an 8-byte boundary
     * @param value in the byte order of this host
     * @return the request
     */
    public static WorkRequest atomicWrite(RemoteMemory target, long value) {
        WorkRequest.aligned(target);
        return new WorkRequest(
                WorkRequestOpcode.ATOMIC_WRITE, null, target, WorkRequest.Operands.atomic(value, 0), false);
    }

    /**
     * Creates the request that ends when what was written before it is placed.
     *
     * @param memory at least 1 byte
     * @param type guarantee
     * @param method of {@link Endpoint#flushMethod}; a FLUSH for {@code NONE}, which the submit refuses
     * @return the request
     */
    public static WorkRequest flush(RemoteMemory memory, PlacementType type, FlushMethod method) {
        if (memory.length() == 0) {
            throw new IllegalArgumentException("a flush covers at least 1 byte: flush what was written");
        }
        if (method == FlushMethod.READ_AFTER_WRITE) {
            long bytes = Math.min(Long.BYTES, memory.length());
            RemoteMemory last = memory.slice(memory.length() - bytes, bytes);
            return new WorkRequest(WorkRequestOpcode.RDMA_READ, null, last, null, false);
        }
        if (memory.length() > MemoryPlacement.LONGEST_FLUSH) {
            throw new IllegalArgumentException("a flush covers at most " + MemoryPlacement.LONGEST_FLUSH
                    + " bytes, not " + memory.length() + ": flush the parts one after the other");
        }
        WorkRequest.Operands operands = new WorkRequest.Operands(type.ordinal(), 0, 0, null, null, -1);
        return new WorkRequest(WorkRequestOpcode.FLUSH, null, memory, operands, false);
    }
}
