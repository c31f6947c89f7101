package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getShort;
import static io.rdma.internal.ibv.NativeMemory.putByte;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putShort;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.AltPath;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;

/** {@code struct ibv_qp_attr} with its {@code ibv_ah_attr}, and {@code struct ibv_qp_cap}, in native memory. */
final class QpAttrLayout {
    static final int SIZE = 144;
    private static final int CAP = 36;
    private static final int AH = 56;
    private static final int ALT_AH = AH + AhAttrLayout.SIZE;
    private static final int ALT_PKEY_INDEX = 122;
    private static final int ALT_PORT_NUM = 133;
    private static final int ALT_TIMEOUT = 134;

    private QpAttrLayout() {}

    static void writeCap(long a, QpCap cap) {
        putInt(a, cap.maxSendWr());
        putInt(a + 4, cap.maxRecvWr());
        putInt(a + 8, cap.maxSendSge());
        putInt(a + 12, cap.maxRecvSge());
        putInt(a + 16, cap.maxInlineData());
    }

    static QpCap readCap(long a) {
        return new QpCap(getInt(a), getInt(a + 4), getInt(a + 8), getInt(a + 12), getInt(a + 16));
    }

    static void write(long a, QpAttr v) {
        int[] words = {
            v.qpState(),
            v.curQpState(),
            v.pathMtu(),
            v.pathMigState(),
            v.qkey(),
            v.rqPsn(),
            v.sqPsn(),
            v.destQpNum(),
            v.qpAccessFlags()
        };
        for (int i = 0; i < words.length; i++) {
            putInt(a + 4L * i, words[i]);
        }
        writeCap(a + CAP, v.cap());
        AhAttr ah = v.ahAttr();
        if (ah != null) {
            AhAttrLayout.write(a + AH, ah);
        }
        putShort(a + 120, (short) v.pkeyIndex());
        putByte(a + 124, (byte) (v.enSqdAsyncNotify() ? 1 : 0));
        int[] bytes = {
            v.maxRdAtomic(), v.maxDestRdAtomic(), v.minRnrTimer(), v.portNum(), v.timeout(), v.retryCnt(), v.rnrRetry()
        };
        for (int i = 0; i < bytes.length; i++) {
            putByte(a + 126 + i, (byte) bytes[i]);
        }
        AltPath alternate = v.altPath();
        if (alternate != null) {
            AhAttrLayout.write(a + ALT_AH, alternate.ahAttr());
            putShort(a + ALT_PKEY_INDEX, (short) alternate.pkeyIndex());
            putByte(a + ALT_PORT_NUM, (byte) alternate.portNum());
            putByte(a + ALT_TIMEOUT, (byte) alternate.timeout());
        }
    }

    private static int u8(long a) {
        return getByte(a) & 0xff;
    }

    static QpAttr read(long a) {
        return new QpAttr(
                getInt(a),
                getInt(a + 4),
                getInt(a + 8),
                getInt(a + 12),
                getInt(a + 16),
                getInt(a + 20),
                getInt(a + 24),
                getInt(a + 28),
                getInt(a + 32),
                readCap(a + CAP),
                AhAttrLayout.read(a + AH),
                getShort(a + 120) & 0xffff,
                u8(a + 124) != 0,
                u8(a + 125) != 0,
                u8(a + 126),
                u8(a + 127),
                u8(a + 128),
                u8(a + 129),
                u8(a + 130),
                u8(a + 131),
                u8(a + 132),
                new AltPath(
                        AhAttrLayout.read(a + ALT_AH),
                        getShort(a + ALT_PKEY_INDEX) & 0xffff,
                        u8(a + ALT_PORT_NUM),
                        u8(a + ALT_TIMEOUT)));
    }
}
