package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;

/** {@code struct ibv_qp_init_attr} in native memory. */
final class QpInitAttrLayout {
    static final int SIZE = 64;
    static final int SEND_CQ = 8;
    static final int RECV_CQ = 16;
    static final int SRQ = 24;
    static final int CAP = 32;
    static final int QP_TYPE = 52;
    static final int SQ_SIG_ALL = 56;

    private QpInitAttrLayout() {}

    static void write(long a, QpInitAttr v) {
        putLong(a + SEND_CQ, v.sendCq());
        putLong(a + RECV_CQ, v.recvCq());
        putLong(a + SRQ, v.srq());
        QpAttrLayout.writeCap(a + CAP, v.cap());
        putInt(a + QP_TYPE, v.qpType());
        putInt(a + SQ_SIG_ALL, v.sqSigAll() ? 1 : 0);
    }

    static QpInitAttr read(long a) {
        return new QpInitAttr(
                getLong(a + SEND_CQ),
                getLong(a + RECV_CQ),
                getLong(a + SRQ),
                readCap(a),
                getInt(a + QP_TYPE),
                getInt(a + SQ_SIG_ALL) != 0);
    }

    static QpCap readCap(long a) {
        return QpAttrLayout.readCap(a + CAP);
    }
}
