package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.Ibv.WC_RDMA_WRITE;
import static io.rdma.internal.ibv.Ibv.WC_RECV;
import static io.rdma.internal.ibv.Ibv.WC_SEND;
import static io.rdma.internal.ibv.Ibv.WC_SUCCESS;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;

// Invariants
// - Every function pointer is checked before the call. Null means that the provider lacks the function, or that the
// queue was not created for it.
// - Between start_poll and end_poll no code here throws, because the provider holds a lock.

/** Polling by the extended interface: {@code ibv_start_poll}, {@code ibv_next_poll}, {@code ibv_end_poll}. */
final class ExtendedPoll {
    static final int CQ_CONTEXT = 16; // offset in struct ibv_cq; the library leaves this field to its user
    static final long ONE_BY_ONE = 0;
    static final long IN_BATCHES = 1;
    private static final int RXE_VENDOR = 0xffffff;

    private ExtendedPoll() {}

    /**
     * Returns the {@code cq_context} of a new queue: whether {@link #poll} may call {@code ibv_next_poll}. That of
     * librxe before rdma-core 55 steps past the last completion. The vendor identifier of rdma_rxe is 0xffffff, or 0 on
     * old kernels.
     */
    static long context(long context) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(DeviceAttrLayout.SIZE, 8).address();
            Outcome.zero("ibv_query_device", IbverbsCalls.queryDevice(context, at));
            DeviceAttr attr = DeviceAttrLayout.read(at);
            return attr.vendorId() == RXE_VENDOR || attr.vendorId() == 0 ? ONE_BY_ONE : IN_BATCHES;
        }
    }

    /** Polls as {@link io.rdma.internal.ffi.ExtendedVerbs#pollEx} does. */
    static int poll(long cq, int numEntries, long wc, long timestamps) {
        if (numEntries < 1) {
            return numEntries < 0 ? -Errno.EINVAL : 0;
        }
        long ex = cq + CqEx.BASE;
        long attr = CallState.scratch();
        putInt(attr, 0); // struct ibv_poll_cq_attr: no attributes
        long startPoll = getLong(ex + CqEx.START_POLL);
        long nextPoll = getLong(cq + CQ_CONTEXT) == IN_BATCHES ? getLong(ex + CqEx.NEXT_POLL) : 0;
        long endPoll = getLong(ex + CqEx.END_POLL);
        if (startPoll == 0 || endPoll == 0) {
            return -Errno.EOPNOTSUPP;
        }
        int polled = 0;
        int result = 0;
        while (polled < numEntries && result == 0 && (result = ExtendedCalls.startPoll(startPoll, cq, attr)) == 0) {
            do {
                read(cq, ex, wc + (long) polled * Wc.SIZE, timestamps + (long) polled * Long.BYTES);
                polled++;
            } while (nextPoll != 0 && polled < numEntries && (result = ExtendedCalls.getInt(nextPoll, cq)) == 0);
            ExtendedCalls.run(endPoll, cq);
        }
        return polled > 0 || Math.abs(result) == Errno.ENOENT ? polled : -Errno.EIO;
    }

    /** Reads the current completion. It reads only the fields that are defined, because each is a call. */
    private static void read(long cq, long ex, long wc, long timestamp) {
        int status = getInt(ex + CqEx.STATUS);
        Wc.wrId(wc, getLong(ex + CqEx.WR_ID));
        Wc.status(wc, status);
        Wc.qpNum(wc, read(cq, ex, CqEx.READ_QP_NUM));
        if (status != WC_SUCCESS) {
            Wc.vendorErr(wc, read(cq, ex, CqEx.READ_VENDOR_ERR));
            return;
        }
        int opcode = read(cq, ex, CqEx.READ_OPCODE);
        Wc.opcode(wc, opcode);
        Wc.byteLen(wc, opcode == WC_SEND || opcode == WC_RDMA_WRITE ? 0 : read(cq, ex, CqEx.READ_BYTE_LEN));
        if ((opcode & WC_RECV) != 0) {
            Wc.wcFlags(wc, read(cq, ex, CqEx.READ_WC_FLAGS));
            putInt(wc + Wc.IMM_DATA, read(cq, ex, CqEx.READ_IMM_DATA));
            Wc.srcQp(wc, read(cq, ex, CqEx.READ_SRC_QP));
            Wc.slid(wc, read(cq, ex, CqEx.READ_SLID));
            Wc.sl(wc, read(cq, ex, CqEx.READ_SL));
            Wc.dlidPathBits(wc, read(cq, ex, CqEx.READ_DLID_PATH_BITS));
        } else {
            Wc.wcFlags(wc, 0);
        }
        long stamp = getLong(ex + CqEx.READ_COMPLETION_TS);
        if (stamp == 0) {
            stamp = getLong(ex + CqEx.READ_COMPLETION_WALLCLOCK_NS);
        }
        if (stamp != 0) {
            putLong(timestamp, ExtendedCalls.getLong(stamp, cq));
        }
    }

    private static int read(long cq, long ex, int field) {
        long function = getLong(ex + field);
        return function == 0 ? 0 : ExtendedCalls.getInt(function, cq);
    }
}
