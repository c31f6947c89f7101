package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getByte;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putByte;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The layouts of {@code rdma/rdma_cma.h} in native memory: identifiers, events and connection parameters. */
final class CmLayout {
    static final int CHANNEL_FD = 0;

    static final int ID_VERBS = 0;
    static final int ID_QP = 24;
    static final int ID_SRC_ADDR = 32;
    static final int ID_DST_ADDR = 160;
    static final int ID_PORT_NUM = 348;
    static final int ID_PD = 400;
    static final int ID_QP_TYPE = 408;

    static final int EVENT_ID = 0;
    static final int EVENT_LISTEN_ID = 8;
    static final int EVENT_EVENT = 16;
    static final int EVENT_STATUS = 20;
    static final int EVENT_PARAM = 24;
    static final int EVENT_UD_AH_ATTR = 40;
    static final int EVENT_UD_QP_NUM = 72;
    static final int EVENT_UD_QKEY = 76;

    static final int PARAM_SIZE = 24;
    static final int PARAM_PRIVATE_DATA_LEN = 8;
    static final int PARAM_RESPONDER_RESOURCES = 9;
    static final int PARAM_INITIATOR_DEPTH = 10;
    static final int PARAM_FLOW_CONTROL = 11;
    static final int PARAM_RETRY_COUNT = 12;
    static final int PARAM_RNR_RETRY_COUNT = 13;
    static final int PARAM_SRQ = 14;
    static final int PARAM_QP_NUM = 16;

    static final int ADDRINFO_SIZE = 96;
    static final int ADDRINFO_PORT_SPACE = 12;
    static final int ADDRINFO_SRC_ADDR = 24;
    static final int ADDRINFO_DST_ADDR = 32;
    static final int ADDRINFO_NEXT = 88;

    static final int JOIN_SIZE = 16;
    static final int JOIN_FLAGS = 4;
    static final int JOIN_ADDR = 8;

    private static final byte[] NONE = {};

    private CmLayout() {}

    /**
     * Allocates and writes a {@code struct rdma_conn_param}.
     *
     * @return its address
     */
    static long write(SegmentAllocator in, ConnParam v) {
        long at = in.allocate(PARAM_SIZE, 8).fill((byte) 0).address();
        putLong(at, bytes(in, v.privateData()));
        putByte(at + PARAM_PRIVATE_DATA_LEN, (byte) v.privateData().length);
        putByte(at + PARAM_RESPONDER_RESOURCES, (byte) v.responderResources());
        putByte(at + PARAM_INITIATOR_DEPTH, (byte) v.initiatorDepth());
        putByte(at + PARAM_FLOW_CONTROL, (byte) v.flowControl());
        putByte(at + PARAM_RETRY_COUNT, (byte) v.retryCount());
        putByte(at + PARAM_RNR_RETRY_COUNT, (byte) v.rnrRetryCount());
        putByte(at + PARAM_SRQ, (byte) (v.srq() ? 1 : 0));
        putInt(at + PARAM_QP_NUM, v.qpNum());
        return at;
    }

    /** @return address of a copy, 0 for no bytes */
    static long bytes(SegmentAllocator in, byte[] bytes) {
        return bytes.length == 0
                ? 0
                : in.allocateFrom(ValueLayout.JAVA_BYTE, bytes).address();
    }

    static ConnParam readParam(long at) {
        return new ConnParam(
                privateData(at),
                u8(at + PARAM_RESPONDER_RESOURCES),
                u8(at + PARAM_INITIATOR_DEPTH),
                u8(at + PARAM_FLOW_CONTROL),
                u8(at + PARAM_RETRY_COUNT),
                u8(at + PARAM_RNR_RETRY_COUNT),
                u8(at + PARAM_SRQ) != 0,
                getInt(at + PARAM_QP_NUM));
    }

    private static int u8(long at) {
        return getByte(at) & 0xff;
    }

    /**
     * Copies the private data, which starts both parameter structures, {@code conn} and {@code ud}: pointer,
     * then length.
     */
    private static byte[] privateData(long param) {
        long at = getLong(param);
        int length = u8(param + PARAM_PRIVATE_DATA_LEN);
        if (at == 0 || length == 0) {
            return NONE;
        }
        byte[] copy = new byte[length];
        MemorySegment.copy(NativeMemory.ALL, ValueLayout.JAVA_BYTE, at, copy, 0, length);
        return copy;
    }

    /** Copies an event that is not acknowledged yet. */
    static CmEventEntry readEvent(long at) {
        int event = getInt(at + EVENT_EVENT);
        long id = getLong(at + EVENT_ID);
        boolean multicast = event == Cma.CM_EVENT_MULTICAST_JOIN || event == Cma.CM_EVENT_MULTICAST_ERROR;
        boolean datagram = multicast || getInt(id + ID_QP_TYPE) == Ibv.QPT_UD;
        long param = at + EVENT_PARAM;
        ConnParam conn = datagram
                ? new ConnParam(privateData(param), 0, 0, 0, 0, 0, false, getInt(at + EVENT_UD_QP_NUM))
                : readParam(param);
        @Nullable AhAttr path = datagram ? AhAttrLayout.read(at + EVENT_UD_AH_ATTR) : null;
        int qkey = datagram ? getInt(at + EVENT_UD_QKEY) : 0;
        return new CmEventEntry(event, getInt(at + EVENT_STATUS), id, getLong(at + EVENT_LISTEN_ID), conn, path, qkey);
    }
}
