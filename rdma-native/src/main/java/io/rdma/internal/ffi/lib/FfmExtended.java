package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.WR_FLUSH;
import static io.rdma.internal.ibv.NativeMemory.getInt;
import static io.rdma.internal.ibv.NativeMemory.getLong;
import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ibv.BindWr;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.os.CallState;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

// Invariants
// - Every function pointer is checked before the call. Null means that the provider lacks the function, or that the
// object was not created for it. The pointers that a request needs are checked before the first of them is called.
// - The pointers of FLUSH and of the atomic write lie behind the structure of older releases. The layer above posts
// them only to a queue pair that its provider has created for them, see createQpEx: then they are there.
// - Between wr_start and wr_complete or wr_abort no code here throws, because the provider holds a lock.

/** {@link ExtendedVerbs} over libibverbs. */
final class FfmExtended implements ExtendedVerbs {
    private static final int QP_TYPE = 60; // offset in struct ibv_qp
    private static final int MOST_INLINE = 4096; // limit for data of several entries; devices allow a few hundred bytes
    private static final ThreadLocal<MemorySegment> GATHERED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(MOST_INLINE, 8));

    @Override
    public Qp createQpEx(long pd, QpInitAttr attr, long sendOps) {
        try (Arena arena = Arena.ofConfined()) {
            long at = initAttr(arena, pd, attr, sendOps);
            long qp = create("ibv_create_qp_ex", getLong(pd), ProviderCalls.VERBS_CREATE_QP_EX, at);
            return new Qp(qp, getInt(qp + FfmAsyncEvents.QP_NUM), QpInitAttrLayout.readCap(at));
        }
    }

    /** Returns a {@code struct ibv_qp_init_attr_ex}. */
    static long initAttr(Arena arena, long pd, QpInitAttr attr, long sendOps) {
        long at = arena.allocate(ExtendedLayout.QP_INIT_SIZE, 8).address();
        QpInitAttrLayout.write(at, attr);
        putInt(at + ExtendedLayout.QP_INIT_COMP_MASK, QP_INIT_ATTR_PD | QP_INIT_ATTR_SEND_OPS_FLAGS);
        putLong(at + ExtendedLayout.QP_INIT_PD, pd);
        putLong(at + ExtendedLayout.QP_INIT_SEND_OPS_FLAGS, sendOps);
        return at;
    }

    @Override
    public Cq createCqEx(long context, int cqe, long channel, int compVector, long wcFlags) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(ExtendedLayout.CQ_INIT_SIZE, 8).address();
            putInt(at + ExtendedLayout.CQ_INIT_CQE, cqe);
            putLong(at + ExtendedLayout.CQ_INIT_CQ_CONTEXT, ExtendedPoll.context(context));
            putLong(at + ExtendedLayout.CQ_INIT_CHANNEL, channel);
            putInt(at + ExtendedLayout.CQ_INIT_COMP_VECTOR, compVector);
            putLong(at + ExtendedLayout.CQ_INIT_WC_FLAGS, wcFlags);
            long cq = create("ibv_create_cq_ex", context, ProviderCalls.VERBS_CREATE_CQ_EX, at);
            return new Cq(cq, getInt(cq + FfmMemory.CQ_CQE));
        }
    }

    /** Creates an object by a function of {@code struct verbs_context} that takes the context and attributes. */
    static long create(String call, long context, long field, long attr) {
        long function = ProviderCalls.extension(context, field);
        int errno = Errno.EOPNOTSUPP;
        if (function != 0) {
            long made = ExtendedCalls.create(function, context, attr);
            if (made != 0) {
                return made;
            }
            errno = CallState.errno();
        }
        if (Outcome.isLack(errno)) {
            throw new VerbsException(
                    call,
                    errno,
                    "This device or its provider does not support it: use reliable connections and the classic"
                            + " interface without timestamps, which every device supports");
        }
        throw Remedy.failed(call, errno);
    }

    @Override
    public int wrPost(long qp, long wr, long badWr) {
        putLong(badWr, wr);
        long ex = qp + QpEx.BASE;
        long start = getLong(ex + QpEx.WR_START);
        long complete = getLong(ex + QpEx.WR_COMPLETE);
        long abort = getLong(ex + QpEx.WR_ABORT);
        if (start == 0 || complete == 0 || abort == 0) {
            return -Errno.EOPNOTSUPP;
        }
        ExtendedCalls.run(start, qp);
        int result = 0;
        for (long next = wr; next != 0 && result == 0; next = SendWr.next(next)) {
            result = add(qp, ex, next);
        }
        if (result != 0) {
            ExtendedCalls.run(abort, qp);
            return -result;
        }
        result = Math.abs(ExtendedCalls.getInt(complete, qp));
        return result == Errno.ENOSPC ? -Errno.ENOMEM : -result; // rdma_rxe reports a full queue as ENOSPC
    }

    /**
     * Adds one request.
     *
     * @return 0 or an errno
     */
    private static int add(long qp, long ex, long wr) {
        int opcode = SendWr.opcode(wr);
        int numSge = SendWr.numSge(wr);
        boolean inline = (SendWr.sendFlags(wr) & SEND_INLINE) != 0;
        boolean local = opcode == WR_LOCAL_INV || opcode == WR_BIND_MW;
        boolean data = !local && opcode != WR_FLUSH && opcode != WR_ATOMIC_WRITE;
        int type = getInt(qp + QP_TYPE);
        long field = field(opcode);
        long list = SendWr.sgList(wr);
        if (field == 0
                || numSge < 0
                || !data && numSge > 0
                || inline && numSge > 1 && bytes(list, numSge) > MOST_INLINE) {
            return Errno.EINVAL;
        }
        long function = getLong(ex + field);
        if (function == 0 || data && lacksData(ex, numSge, inline) || !local && lacksDestination(ex, type)) {
            return Errno.EOPNOTSUPP;
        }
        putLong(ex + QpEx.WR_ID, SendWr.wrId(wr));
        putInt(ex + QpEx.WR_FLAGS, SendWr.sendFlags(wr));
        switch (opcode) {
            case WR_SEND -> ExtendedCalls.run(function, qp);
            case WR_SEND_WITH_IMM -> ExtendedCalls.run(function, qp, getInt(wr + SendWr.IMM_DATA));
            case WR_SEND_WITH_INV, WR_LOCAL_INV -> ExtendedCalls.run(function, qp, SendWr.invalidateRkey(wr));
            case WR_BIND_MW -> ExtendedCalls.bind(function, qp, BindWr.mw(wr), BindWr.rkey(wr), wr + BindWr.MR);
            case WR_RDMA_WRITE, WR_RDMA_READ ->
                ExtendedCalls.remote(function, qp, SendWr.rdmaRkey(wr), SendWr.rdmaRemoteAddr(wr));
            case WR_RDMA_WRITE_WITH_IMM ->
                ExtendedCalls.remoteImm(
                        function, qp, SendWr.rdmaRkey(wr), SendWr.rdmaRemoteAddr(wr), getInt(wr + SendWr.IMM_DATA));
            case WR_FLUSH ->
                ExtendedCalls.flush(
                        function,
                        qp,
                        SendWr.rdmaRkey(wr),
                        SendWr.rdmaRemoteAddr(wr),
                        SendWr.flushLength(wr),
                        SendWr.flushType(wr),
                        SendWr.flushLevel(wr));
            case WR_ATOMIC_WRITE ->
                ExtendedCalls.fetchAdd(
                        function, qp, SendWr.rdmaRkey(wr), SendWr.rdmaRemoteAddr(wr), wr + SendWr.ATOMIC_WRITE_VALUE);
            case WR_ATOMIC_FETCH_AND_ADD ->
                ExtendedCalls.fetchAdd(
                        function, qp, SendWr.atomicRkey(wr), SendWr.atomicRemoteAddr(wr), SendWr.atomicCompareAdd(wr));
            default ->
                ExtendedCalls.compareSwap(
                        function,
                        qp,
                        SendWr.atomicRkey(wr),
                        SendWr.atomicRemoteAddr(wr),
                        SendWr.atomicCompareAdd(wr),
                        SendWr.atomicSwap(wr));
        }
        if (!local) {
            if (type == QPT_UD) {
                ExtendedCalls.destination(
                        getLong(ex + QpEx.WR_SET_UD_ADDR),
                        qp,
                        SendWr.udAh(wr),
                        SendWr.udRemoteQpn(wr),
                        SendWr.udRemoteQkey(wr));
            }
            if (type == QPT_XRC_SEND) {
                ExtendedCalls.run(getLong(ex + QpEx.WR_SET_XRC_SRQN), qp, SendWr.xrcRemoteSrqn(wr));
            }
        }
        if (data) {
            setData(qp, ex, list, numSge, inline);
        }
        return 0;
    }

    /** Returns whether there is no function for the data of a request. */
    private static boolean lacksData(long ex, int numSge, boolean inline) {
        int data = inline ? QpEx.WR_SET_INLINE_DATA : numSge == 1 ? QpEx.WR_SET_SGE : QpEx.WR_SET_SGE_LIST;
        return getLong(ex + data) == 0;
    }

    /** Returns whether there is no function for the destination of a request. */
    private static boolean lacksDestination(long ex, int type) {
        return type == QPT_UD && getLong(ex + QpEx.WR_SET_UD_ADDR) == 0
                || type == QPT_XRC_SEND && getLong(ex + QpEx.WR_SET_XRC_SRQN) == 0;
    }

    /** Sets the data, once per request, even if it has no bytes: some providers finish the request in this call. */
    private static void setData(long qp, long ex, long list, int numSge, boolean inline) {
        if (inline) {
            // wr_set_inline_data_list is avoided: librxe before rdma-core 64 sends none of its data.
            long data = numSge == 1 ? Sge.addr(list) : gather(list, numSge);
            ExtendedCalls.data(getLong(ex + QpEx.WR_SET_INLINE_DATA), qp, data, bytes(list, numSge));
        } else if (numSge == 1) {
            ExtendedCalls.entry(getLong(ex + QpEx.WR_SET_SGE), qp, Sge.lkey(list), Sge.addr(list), Sge.length(list));
        } else {
            ExtendedCalls.data(getLong(ex + QpEx.WR_SET_SGE_LIST), qp, numSge, list);
        }
    }

    private static long field(int opcode) {
        return switch (opcode) {
            case WR_RDMA_WRITE -> QpEx.WR_RDMA_WRITE;
            case WR_RDMA_WRITE_WITH_IMM -> QpEx.WR_RDMA_WRITE_IMM;
            case WR_SEND -> QpEx.WR_SEND;
            case WR_SEND_WITH_IMM -> QpEx.WR_SEND_IMM;
            case WR_RDMA_READ -> QpEx.WR_RDMA_READ;
            case WR_ATOMIC_CMP_AND_SWP -> QpEx.WR_ATOMIC_CMP_SWP;
            case WR_ATOMIC_FETCH_AND_ADD -> QpEx.WR_ATOMIC_FETCH_ADD;
            case WR_LOCAL_INV -> QpEx.WR_LOCAL_INV;
            case WR_BIND_MW -> QpEx.WR_BIND_MW;
            case WR_SEND_WITH_INV -> QpEx.WR_SEND_INV;
            case WR_FLUSH -> QpEx.WR_FLUSH;
            case WR_ATOMIC_WRITE -> QpEx.WR_ATOMIC_WRITE;
            default -> 0;
        };
    }

    private static long bytes(long list, int numSge) {
        long bytes = 0;
        for (int i = 0; i < numSge; i++) {
            bytes += Integer.toUnsignedLong(Sge.length(list + (long) i * Sge.SIZE));
        }
        return bytes;
    }

    /** Copies all entries to one place. The caller has checked that they fit. */
    private static long gather(long list, int numSge) {
        long gathered = GATHERED.get().address();
        long to = gathered;
        for (int i = 0; i < numSge; i++) {
            long sge = list + (long) i * Sge.SIZE;
            NativeMemory.copy(Sge.addr(sge), to, Sge.length(sge));
            to += Sge.length(sge);
        }
        return gathered;
    }

    @Override
    public int pollEx(long cq, int numEntries, long wc, long timestamps) {
        return ExtendedPoll.poll(cq, numEntries, wc, timestamps);
    }
}
