package io.rdma.internal.soft.objects;

import java.lang.foreign.Arena;

/** Device memory: plain memory of the process, freed with this object. */
public final class SoftDm extends SoftObject {
    public final SoftContext context;
    final long length;
    public final long address;
    private final Arena arena = Arena.ofShared();

    public SoftDm(SoftContext context, long length, long alignment) {
        this.context = context;
        this.length = length;
        this.address = arena.allocate(length, alignment).address();
    }

    @Override
    public String struct() {
        return "ibv_dm";
    }

    public boolean covers(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= length && bytes <= length - offset;
    }

    public void free() {
        arena.close();
    }
}
