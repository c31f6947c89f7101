package io.rdma.internal.soft;

import java.lang.foreign.Arena;

/** Memory of the device: plain memory of the process, gone with the object. */
final class SoftDm extends SoftObject {
    final SoftContext context;
    final long length;
    final long address;
    private final Arena arena = Arena.ofShared();

    SoftDm(SoftContext context, long length, long alignment) {
        this.context = context;
        this.length = length;
        this.address = arena.allocate(length, alignment).address();
    }

    boolean covers(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= length && bytes <= length - offset;
    }

    void free() {
        arena.close();
    }
}
