package io.rdma.samples.bench.calls;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.lib.FfmVerbs;
import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.Sge;
import io.rdma.samples.support.LocalGid;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.RdmaException;
import java.lang.foreign.Arena;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open device of libibverbs with the objects that its functions are called with. It uses the seam below the public
 * classes, whose handles are the pointers of C.
 */
public final class CalledDevice implements AutoCloseable {
    private static final int PORT = 1;
    private static final int ACCESS = Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE;
    private static final int TO_INIT = Ibv.QP_STATE | Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | Ibv.QP_ACCESS_FLAGS;
    private static final int TO_RTR = Ibv.QP_STATE
            | Ibv.QP_AV
            | Ibv.QP_PATH_MTU
            | Ibv.QP_DEST_QPN
            | Ibv.QP_RQ_PSN
            | Ibv.QP_MAX_DEST_RD_ATOMIC
            | Ibv.QP_MIN_RNR_TIMER;
    private static final int TO_RTS = Ibv.QP_STATE
            | Ibv.QP_SQ_PSN
            | Ibv.QP_TIMEOUT
            | Ibv.QP_RETRY_CNT
            | Ibv.QP_RNR_RETRY
            | Ibv.QP_MAX_QP_RD_ATOMIC;

    private final Verbs verbs;
    private final Deque<Runnable> closers = new ArrayDeque<>();
    private final Arena arena = Arena.ofShared();
    private final int psn = new SecureRandom().nextInt(1 << 24);
    private final long context;
    private final long pd;

    /**
     * Opens a device.
     *
     * @param name of a device of libibverbs
     */
    public CalledDevice(String name) {
        verbs = FfmVerbs.ifAvailable()
                .orElseThrow(
                        () -> new RdmaException(FfmVerbs.unavailableReason().orElse("libibverbs cannot be used")));
        context = verbs.openDevice(name);
        closers.push(() -> verbs.closeDevice(context));
        try {
            pd = verbs.allocPd(context);
            closers.push(() -> verbs.deallocPd(pd));
        } catch (RdmaException e) {
            close();
            throw e;
        }
    }

    Verbs verbs() {
        return verbs;
    }

    /** Allocates zeroed bytes at a multiple of 64, and returns their address. */
    long allocate(long bytes) {
        return arena.allocate(bytes, 64).address();
    }

    Mr register(long address, long bytes) {
        Mr mr = verbs.regMr(pd, address, bytes, address, ACCESS);
        closers.push(() -> verbs.deregMr(mr.handle()));
        return mr;
    }

    /** Returns a scatter/gather element of a work request. */
    long sge(long address, int length, Mr mr) {
        long sge = allocate(Sge.SIZE);
        Sge.addr(sge, address);
        Sge.length(sge, length);
        Sge.lkey(sge, mr.lkey());
        return sge;
    }

    long createCq(int entries) {
        long cq = verbs.createCq(context, entries, 0, 0).handle();
        closers.push(() -> verbs.destroyCq(cq));
        return cq;
    }

    /** Creates a reliable queue pair in RESET, with at most as many entries as the device supports. */
    Qp createQp(long cq, int sends, int receives) {
        int most = verbs.queryDevice(context).maxQpWr();
        QpCap cap = new QpCap(Math.min(sends, most), Math.min(receives, most), 1, 1, 0);
        Qp qp = verbs.createQp(pd, new QpInitAttr(cq, cq, 0, cap, Ibv.QPT_RC, false));
        closers.push(() -> verbs.destroyQp(qp.handle()));
        return qp;
    }

    void toReset(Qp qp) {
        verbs.modifyQp(qp.handle(), attributes(Ibv.QPS_RESET, qp, null), Ibv.QP_STATE);
    }

    void toInit(Qp qp) {
        verbs.modifyQp(qp.handle(), attributes(Ibv.QPS_INIT, qp, null), TO_INIT);
    }

    /** Moves a queue pair from INIT to RTS, with itself as peer. */
    void connectToItself(Qp qp) {
        verbs.modifyQp(qp.handle(), attributes(Ibv.QPS_RTR, qp, path()), TO_RTR);
        verbs.modifyQp(qp.handle(), attributes(Ibv.QPS_RTS, qp, null), TO_RTS);
    }

    private AhAttr path() {
        PortAttr port = verbs.queryPort(context, PORT);
        List<GidTableEntry> table = verbs.queryGidTable(context).stream()
                .map(entry -> new GidTableEntry(
                        Gid.of(entry.gid()), entry.gidIndex(), entry.portNum(), GidType.of(entry.gidType())))
                .toList();
        GidTableEntry gid = LocalGid.best(table, PORT, LinkLayer.of(port.linkLayer()))
                .orElseThrow(() -> new RdmaException("the device's port 1 has no GID to use: see devinfo"));
        return new AhAttr(gid.gid().bytes(), 0, gid.index(), 64, 0, port.lid(), 0, 0, 0, true, PORT);
    }

    /** Returns attributes for all transitions. The mask of a transition selects those that it uses. */
    private QpAttr attributes(int state, Qp qp, @Nullable AhAttr path) {
        return new QpAttr(
                state,
                0,
                verbs.queryPort(context, PORT).activeMtu(),
                0,
                0,
                psn,
                psn,
                qp.qpNum(),
                ACCESS,
                new QpCap(0, 0, 0, 0, 0),
                path,
                0,
                false,
                false,
                1,
                1,
                12,
                PORT,
                14,
                7,
                7,
                null);
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
        arena.close();
    }
}
