package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.SoftFaults;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** One device with one queue pair and one region, used through the seam. */
public final class SoftSide {
    /** 67 ms, eight times in a row, is longer than a busy machine keeps a thread waiting. */
    static final int USUAL_RETRANSMIT = 14;

    static final int SEND_DEPTH = 64;
    static final int SIZE = 256 * 1024;
    static final int ACCESS = Ibv.ACCESS_LOCAL_WRITE
            | Ibv.ACCESS_REMOTE_WRITE
            | Ibv.ACCESS_REMOTE_READ
            | Ibv.ACCESS_REMOTE_ATOMIC
            | MemoryPlacement.ACCESS_FLUSH_GLOBAL;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private final int access;
    public final SoftVerbs verbs;
    public final long context;
    final long pd;
    final long channel;
    public final Cq cq;
    public final Qp qp;
    Mr mr;
    final MemorySegment memory;
    final MemorySegment scratch;

    public SoftSide(Arena arena, SoftFaults faults) {
        this(arena, SoftConfig.loopback().withFaults(faults));
    }

    SoftSide(Arena arena, SoftConfig config) {
        this(arena, config, ACCESS);
    }

    SoftSide(Arena arena, SoftConfig config, int access) {
        this.access = access;
        verbs = new SoftVerbs(config);
        context = verbs.openDevice(config.name());
        pd = verbs.allocPd(context);
        channel = verbs.createCompChannel(context);
        cq = verbs.createCq(context, 512, channel, 0);
        qp = createQueuePair(0);
        memory = arena.allocate(SIZE, 4096);
        scratch = arena.allocate(1024, 64);
        register();
    }

    /** Creates another queue pair on the device of a side, with a completion queue of its own. */
    public SoftSide(Arena arena, SoftFaults faults, SoftSide of, Cq completions) {
        this(arena, of, completions, 0);
    }

    /** Creates another queue pair on the device of a side, with a shared receive queue; 0 for none. */
    public SoftSide(Arena arena, SoftSide of, Cq completions, long srq) {
        access = of.access;
        verbs = of.verbs;
        context = of.context;
        pd = of.pd;
        channel = 0;
        cq = completions;
        qp = createQueuePair(srq);
        memory = of.memory;
        scratch = arena.allocate(1024, 64);
        mr = of.mr;
    }

    private Qp createQueuePair(long srq) {
        QpCap cap = new QpCap(SEND_DEPTH, 256, 1, 1, 0);
        return verbs.createQp(pd, new QpInitAttr(cq.handle(), cq.handle(), srq, cap, Ibv.QPT_RC, false));
    }

    void register() {
        mr = verbs.regMr(pd, memory.address(), SIZE, memory.address(), access);
    }

    public void connect(SoftSide peer) {
        connect(peer, USUAL_RETRANSMIT);
    }

    /** Moves the queue pair from RESET to RTS, with the caller's wait for an acknowledge. */
    public void connect(SoftSide peer, int retransmitAfter) {
        connect(peer.gid(), peer.qp.qpNum(), 0xffffe0, retransmitAfter); // wraps soon
    }

    byte[] gid() {
        return verbs.queryGidTable(context).getFirst().gid();
    }

    /** Moves the queue pair from RESET to RTS, towards a queue pair that need not exist. */
    public void connect(byte[] gid, int qpNumber, int psn) {
        connect(gid, qpNumber, psn, USUAL_RETRANSMIT);
    }

    /**
     * Moves the queue pair from RESET to RTS.
     *
     * @param retransmitAfter wait for an acknowledge: 4.096 µs times 2 to the power of this
     */
    public void connect(byte[] gid, int qpNumber, int psn, int retransmitAfter) {
        connect(new AhAttr(gid, 0, 0, 64, 0, 0, 0, 0, 0, true, 1), qpNumber, psn, retransmitAfter);
    }

    /** Moves the queue pair from RESET to RTS, by a path. */
    void connect(AhAttr path, int qpNumber, int psn, int retransmitAfter) {
        int toInit = Ibv.QP_STATE | Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | Ibv.QP_ACCESS_FLAGS;
        int toRtr = Ibv.QP_STATE
                | Ibv.QP_AV
                | Ibv.QP_PATH_MTU
                | Ibv.QP_DEST_QPN
                | Ibv.QP_RQ_PSN
                | Ibv.QP_MAX_DEST_RD_ATOMIC
                | Ibv.QP_MIN_RNR_TIMER;
        int toRts = Ibv.QP_STATE
                | Ibv.QP_TIMEOUT
                | Ibv.QP_RETRY_CNT
                | Ibv.QP_RNR_RETRY
                | Ibv.QP_SQ_PSN
                | Ibv.QP_MAX_QP_RD_ATOMIC;
        int[][] steps = {{Ibv.QPS_INIT, toInit}, {Ibv.QPS_RTR, toRtr}, {Ibv.QPS_RTS, toRts}};
        for (int[] step : steps) {
            verbs.modifyQp(
                    qp.handle(),
                    new QpAttr(
                            step[0],
                            0,
                            Ibv.MTU_1024,
                            0,
                            0,
                            psn,
                            psn,
                            qpNumber,
                            access,
                            qp.cap(),
                            path,
                            0,
                            false,
                            false,
                            4,
                            4,
                            1,
                            1,
                            retransmitAfter,
                            7,
                            7,
                            null),
                    step[1]);
        }
    }

    void receive(long wrId, long offset, int length) {
        long wr = receiveRequest(wrId, offset, length);
        assertThat(verbs.postRecv(qp.handle(), wr, wr + 512)).isZero();
    }

    /**
     * Posts a receive to a shared queue.
     *
     * @return result of ibv_post_srq_recv
     */
    int postShared(long srq, long wrId, long offset, int length) {
        long wr = receiveRequest(wrId, offset, length);
        return verbs.postSrqRecv(srq, wr, wr + 512);
    }

    private long receiveRequest(long wrId, long offset, int length) {
        long wr = scratch.address();
        RecvWr.wrId(wr, wrId);
        RecvWr.next(wr, 0);
        RecvWr.sgList(wr, sge(offset, length));
        RecvWr.numSge(wr, 1);
        return wr;
    }

    public void send(long wrId, int opcode, SoftSide peer, long offset, int length) {
        assertThat(post(wrId, opcode, peer, offset, length, Ibv.SEND_SIGNALED)).isZero();
    }

    /**
     * Posts a send request.
     *
     * @return result of ibv_post_send
     */
    public int post(long wrId, int opcode, SoftSide peer, long offset, int length, int flags) {
        long wr = scratch.address();
        SendWr.wrId(wr, wrId);
        SendWr.next(wr, 0);
        SendWr.sgList(wr, sge(offset, length));
        SendWr.numSge(wr, 1);
        SendWr.opcode(wr, opcode);
        SendWr.sendFlags(wr, flags);
        if (opcode == Ibv.WR_ATOMIC_FETCH_AND_ADD) {
            SendWr.atomicRemoteAddr(wr, peer.memory.address());
            SendWr.atomicCompareAdd(wr, 1);
            SendWr.atomicRkey(wr, peer.mr.rkey());
        } else {
            SendWr.rdmaRemoteAddr(wr, peer.memory.address());
            SendWr.rdmaRkey(wr, peer.mr.rkey());
        }
        return verbs.postSend(qp.handle(), wr, wr + 512);
    }

    private long sge(long offset, int length) {
        long sge = scratch.address() + 256;
        Sge.addr(sge, memory.address() + offset);
        Sge.length(sge, length);
        Sge.lkey(sge, mr.lkey());
        return sge;
    }

    /** Awaits one successful completion. */
    public void expect(long wrId) {
        expect(wrId, Ibv.WC_SUCCESS);
    }

    public void expect(long wrId, int status) {
        next();
        assertThat(Wc.status(completion())).isEqualTo(status);
        assertThat(Wc.wrId(completion())).isEqualTo(wrId);
    }

    /** Awaits one completion of any status. */
    public void next() {
        until("a completion", () -> poll() == 1);
    }

    /** Polls at most one completion. */
    public int poll() {
        return verbs.pollCq(cq.handle(), 1, completion());
    }

    /** Returns the completion that was polled last. */
    public long completion() {
        return scratch.address() + 768;
    }

    public void arm() {
        assertThat(verbs.reqNotifyCq(cq.handle(), false)).isZero();
    }

    /** Awaits the completion that the queue was armed for, without polling it. */
    public void awaitEvent() {
        until("an event", () -> verbs.pollCompChannel(channel, 100));
        assertThat(verbs.getCqEvent(channel)).isEqualTo(cq.handle());
        verbs.ackCqEvents(cq.handle(), 1);
    }

    public void awaitState(int state) {
        until("state " + state, () -> verbs.queryQp(qp.handle(), Ibv.QP_STATE).qpState() == state);
    }

    private static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what + " in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** Moves the queue pair to RESET. */
    public void reset() {
        moveTo(Ibv.QPS_RESET);
    }

    public void moveToError() {
        moveTo(Ibv.QPS_ERR);
    }

    private void moveTo(int state) {
        QpAttr attr = verbs.queryQp(qp.handle(), Ibv.QP_STATE);
        verbs.modifyQp(
                qp.handle(),
                new QpAttr(state, 0, 0, 0, 0, 0, 0, 0, 0, attr.cap(), null, 0, false, false, 0, 0, 0, 0, 0, 0, 0, null),
                Ibv.QP_STATE);
    }

    public void closeQueuePair() {
        verbs.destroyQp(qp.handle());
    }

    public void close() {
        closeQueuePair();
        verbs.destroyCq(cq.handle());
        verbs.destroyCompChannel(channel);
        verbs.deregMr(mr.handle());
        verbs.deallocPd(pd);
        verbs.closeDevice(context);
    }
}
