package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getShort;
import static io.rdma.internal.ibv.NativeMemory.putByte;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putShort;

import io.rdma.internal.ibv.AhAttr;

/** {@code struct ibv_ah_attr} with its {@code ibv_global_route}, and {@code union ibv_gid}, in native memory. */
final class AhAttrLayout {
    static final int SIZE = 32;
    static final int GID_BYTES = 16;

    private AhAttrLayout() {}

    static void writeGid(long a, byte[] gid) {
        for (int i = 0; i < GID_BYTES; i++) {
            putByte(a + i, gid[i]);
        }
    }

    static byte[] readGid(long a) {
        byte[] gid = new byte[GID_BYTES];
        for (int i = 0; i < GID_BYTES; i++) {
            gid[i] = getByte(a + i);
        }
        return gid;
    }

    static void write(long a, AhAttr ah) {
        writeGid(a, ah.dgid());
        putInt(a + 16, ah.flowLabel());
        putByte(a + 20, (byte) ah.sgidIndex());
        putByte(a + 21, (byte) ah.hopLimit());
        putByte(a + 22, (byte) ah.trafficClass());
        putShort(a + 24, (short) ah.dlid());
        putByte(a + 26, (byte) ah.sl());
        putByte(a + 27, (byte) ah.srcPathBits());
        putByte(a + 28, (byte) ah.staticRate());
        putByte(a + 29, (byte) (ah.isGlobal() ? 1 : 0));
        putByte(a + 30, (byte) ah.portNum());
    }

    static AhAttr read(long a) {
        return new AhAttr(
                readGid(a),
                getInt(a + 16),
                u8(a + 20),
                u8(a + 21),
                u8(a + 22),
                getShort(a + 24) & 0xffff,
                u8(a + 26),
                u8(a + 27),
                u8(a + 28),
                u8(a + 29) != 0,
                u8(a + 30));
    }

    private static int u8(long a) {
        return getByte(a) & 0xff;
    }
}
