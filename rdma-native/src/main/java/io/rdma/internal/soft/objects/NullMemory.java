package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;

/**
 * The memory behind null regions: zeros to read from, and a place for bytes that are lost. Each has room for the
 * longest piece that the device copies at once. All devices share them.
 */
final class NullMemory {
    private static final long ZEROS = allocate();
    private static final long LOST = allocate();

    private NullMemory() {}

    private static long allocate() {
        return Arena.global().allocate(Packet.LONGEST_JOINED, Long.BYTES).address();
    }

    /** Returns the memory for an access, {@code IBV_ACCESS_LOCAL_WRITE} or 0 for a read. */
    static long address(int access) {
        return access == Ibv.ACCESS_LOCAL_WRITE ? LOST : ZEROS;
    }
}
