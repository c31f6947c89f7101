package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getShort;

import io.rdma.internal.ibv.PortAttr;

/** {@code struct ibv_port_attr} in native memory; offsets of 64-bit Linux. */
final class PortAttrLayout {
    static final int SIZE = 52;

    private PortAttrLayout() {}

    static PortAttr read(long a) {
        return new PortAttr(
                getInt(a + 0),
                getInt(a + 4),
                getInt(a + 8),
                getInt(a + 12),
                getInt(a + 16),
                getInt(a + 20),
                getInt(a + 24),
                getInt(a + 28),
                getShort(a + 32) & 0xffff,
                getShort(a + 34) & 0xffff,
                getShort(a + 36) & 0xffff,
                getByte(a + 38) & 0xff,
                getByte(a + 39) & 0xff,
                getByte(a + 40) & 0xff,
                getByte(a + 41) & 0xff,
                getByte(a + 42) & 0xff,
                getByte(a + 43) & 0xff,
                getByte(a + 44) & 0xff,
                getByte(a + 45) & 0xff,
                getByte(a + 46) & 0xff,
                getShort(a + 48) & 0xffff);
    }
}
