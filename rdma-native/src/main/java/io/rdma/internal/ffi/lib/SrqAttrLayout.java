package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.putInt;

import io.rdma.internal.ibv.SrqAttr;

/** {@code struct ibv_srq_attr} in native memory, and its offset in {@code struct ibv_srq_init_attr}. */
final class SrqAttrLayout {
    static final int SIZE = 12;
    static final int INIT_ATTR_BYTES = 24;
    static final int INIT_ATTR_ATTR = 8;

    private SrqAttrLayout() {}

    static void write(long a, SrqAttr v) {
        putInt(a, v.maxWr());
        putInt(a + 4, v.maxSge());
        putInt(a + 8, v.srqLimit());
    }

    static SrqAttr read(long a) {
        return new SrqAttr(getInt(a), getInt(a + 4), getInt(a + 8));
    }
}
