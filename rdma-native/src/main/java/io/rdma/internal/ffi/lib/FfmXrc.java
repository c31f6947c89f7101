package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ffi.XrcVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;

/** {@link XrcVerbs} over libibverbs, where all of it is inline, through {@code struct verbs_context}. */
final class FfmXrc implements XrcVerbs {
    @Override
    public long openXrcd(long context, int fd, int oflags) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(ExtendedLayout.XRCD_INIT_SIZE, 8).address();
            putInt(at, Ibv.XRCD_INIT_ATTR_FD | Ibv.XRCD_INIT_ATTR_OFLAGS);
            putInt(at + ExtendedLayout.XRCD_INIT_FD, fd);
            putInt(at + ExtendedLayout.XRCD_INIT_OFLAGS, oflags);
            return FfmExtended.create("ibv_open_xrcd", context, ProviderCalls.VERBS_OPEN_XRCD, at);
        }
    }

    @Override
    public void closeXrcd(long xrcd) {
        int result = ExtendedCalls.getInt(function("ibv_close_xrcd", xrcd, ProviderCalls.VERBS_CLOSE_XRCD), xrcd);
        Outcome.zero("ibv_close_xrcd", result);
    }

    private static Qp receiving(long qp) {
        return new Qp(qp, getInt(qp + FfmAsyncEvents.QP_NUM), new QpCap(0, 0, 0, 0, 0));
    }

    private static long function(String call, long object, long field) {
        long function = ProviderCalls.extension(getLong(object), field);
        if (function == 0) {
            throw Remedy.failed(call, Errno.EOPNOTSUPP);
        }
        return function;
    }

    @Override
    public Srq createXrcSrq(long pd, long xrcd, long cq, SrqAttr attr) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(ExtendedLayout.SRQ_INIT_SIZE, 8).address();
            SrqAttrLayout.write(at + ExtendedLayout.SRQ_INIT_ATTR, new SrqAttr(attr.maxWr(), attr.maxSge(), 0));
            putInt(
                    at + ExtendedLayout.SRQ_INIT_COMP_MASK,
                    Ibv.SRQ_INIT_ATTR_TYPE | Ibv.SRQ_INIT_ATTR_PD | Ibv.SRQ_INIT_ATTR_XRCD | Ibv.SRQ_INIT_ATTR_CQ);
            putInt(at + ExtendedLayout.SRQ_INIT_TYPE, Ibv.SRQT_XRC);
            putLong(at + ExtendedLayout.SRQ_INIT_PD, pd);
            putLong(at + ExtendedLayout.SRQ_INIT_XRCD, xrcd);
            putLong(at + ExtendedLayout.SRQ_INIT_CQ, cq);
            long srq = FfmExtended.create("ibv_create_srq_ex", getLong(pd), ProviderCalls.VERBS_CREATE_SRQ_EX, at);
            return new Srq(srq, SrqAttrLayout.read(at + ExtendedLayout.SRQ_INIT_ATTR));
        }
    }

    @Override
    public int getSrqNum(long srq) {
        long number = CallState.scratch();
        int result =
                ExtendedCalls.startPoll(function("ibv_get_srq_num", srq, ProviderCalls.VERBS_GET_SRQ_NUM), srq, number);
        Outcome.zero("ibv_get_srq_num", result);
        return getInt(number);
    }

    @Override
    public Qp createXrcReceiveQp(long xrcd) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(ExtendedLayout.QP_INIT_SIZE, 8).address();
            QpInitAttrLayout.write(at, new QpInitAttr(0, 0, 0, new QpCap(0, 0, 0, 0, 0), Ibv.QPT_XRC_RECV, false));
            putInt(at + ExtendedLayout.QP_INIT_COMP_MASK, Ibv.QP_INIT_ATTR_XRCD);
            putLong(at + ExtendedLayout.QP_INIT_XRCD, xrcd);
            long qp = FfmExtended.create("ibv_create_qp_ex", getLong(xrcd), ProviderCalls.VERBS_CREATE_QP_EX, at);
            return receiving(qp);
        }
    }

    @Override
    public Qp openQp(long xrcd, int qpNum) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(ExtendedLayout.QP_OPEN_SIZE, 8).address();
            putInt(at, Ibv.QP_OPEN_ATTR_NUM | Ibv.QP_OPEN_ATTR_XRCD | Ibv.QP_OPEN_ATTR_TYPE);
            putInt(at + ExtendedLayout.QP_OPEN_QP_NUM, qpNum);
            putLong(at + ExtendedLayout.QP_OPEN_XRCD, xrcd);
            putInt(at + ExtendedLayout.QP_OPEN_QP_TYPE, Ibv.QPT_XRC_RECV);
            long qp = FfmExtended.create("ibv_open_qp", getLong(xrcd), ProviderCalls.VERBS_OPEN_QP, at);
            return receiving(qp);
        }
    }
}
