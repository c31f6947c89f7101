package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.getShort;

import io.rdma.internal.ibv.DeviceAttr;

/** {@code struct ibv_device_attr} in native memory; offsets of 64-bit Linux. */
final class DeviceAttrLayout {
    static final int SIZE = 232;

    private static final int FW_VER_BYTES = 64;

    private DeviceAttrLayout() {}

    static DeviceAttr read(long a) {
        return new DeviceAttr(
                fwVer(a),
                Long.reverseBytes(getLong(a + 64)),
                Long.reverseBytes(getLong(a + 72)),
                getLong(a + 80),
                getLong(a + 88),
                getInt(a + 96),
                getInt(a + 100),
                getInt(a + 104),
                getInt(a + 108),
                getInt(a + 112),
                getInt(a + 116),
                getInt(a + 120),
                getInt(a + 124),
                getInt(a + 128),
                getInt(a + 132),
                getInt(a + 136),
                getInt(a + 140),
                getInt(a + 144),
                getInt(a + 148),
                getInt(a + 152),
                getInt(a + 156),
                getInt(a + 160),
                getInt(a + 164),
                getInt(a + 176),
                getInt(a + 188),
                getInt(a + 192),
                getInt(a + 200),
                getInt(a + 212),
                getInt(a + 216),
                getInt(a + 220),
                getShort(a + 224) & 0xffff,
                getByte(a + 226) & 0xff,
                getByte(a + 227) & 0xff);
    }

    private static String fwVer(long a) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < FW_VER_BYTES && getByte(a + i) != 0; i++) {
            text.append((char) getByte(a + i));
        }
        return text.toString();
    }
}
