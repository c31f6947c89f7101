package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Ibv.QPS_ERR;
import static io.rdma.internal.ffi.Ibv.QPS_RESET;
import static io.rdma.internal.ffi.Ibv.WC_WR_FLUSH_ERR;

import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.ffi.QpCap;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything but the rings, `state` and `rung` belongs to the device thread.
// - In ERR every posted request gets a flush completion, the send queue in order, then the receive queue.

/** A queue pair: its rings, its attributes, a requester and a responder. */
final class SoftQp extends SoftObject {
    final SoftDevice device;
    final SoftPd pd;
    final SoftCq sendCq;
    final SoftCq recvCq;
    final QpCap cap;
    final boolean signalAll;
    final int qpn;
    final WorkQueue sq;
    final WorkQueue rq;
    final Requester requester;
    final Responder responder;
    boolean queued; // in the device's run queue
    final AtomicBoolean rung = new AtomicBoolean();
    volatile int state = QPS_RESET;

    QpAttr attr = QpTransitions.INITIAL;

    @Nullable
    InetSocketAddress peer; // null: on this device

    int mtu;

    SoftQp(SoftDevice device, SoftPd pd, SoftCq sendCq, SoftCq recvCq, QpCap cap, boolean signalAll, int qpn) {
        this.device = device;
        this.pd = pd;
        this.sendCq = sendCq;
        this.recvCq = recvCq;
        this.cap = cap;
        this.signalAll = signalAll;
        this.qpn = qpn;
        sq = new WorkQueue(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
        rq = new WorkQueue(cap.maxRecvWr(), cap.maxRecvSge(), 0);
        requester = new Requester(this);
        responder = new Responder(this);
    }

    /** Does what there is to do, within a bound. @return whether more is left that needs no event */
    boolean run(long now) {
        if (state == QPS_ERR) {
            flush();
            return false;
        }
        boolean more = responder.run();
        return requester.run(now) | more;
    }

    /** To ERR, with everything that is posted flushed. */
    void error() {
        state = QPS_ERR;
        flush();
    }

    private void flush() {
        flush(sq, sendCq, false);
        flush(rq, recvCq, true);
    }

    private void flush(WorkQueue queue, SoftCq cq, boolean receive) {
        long posted = queue.posted();
        while (queue.taken < posted) {
            WorkRequest request = queue.at(queue.taken++);
            complete(cq, receive, queue.taken, request.wrId, WC_WR_FLUSH_ERR, 0, 0, request, false);
        }
    }

    /** Adds a completion; an overrun takes all queue pairs of that completion queue down. */
    void complete(
            SoftCq cq,
            boolean receive,
            long retire,
            long wrId,
            int status,
            int opcode,
            long bytes,
            WorkRequest request,
            boolean solicited) {
        boolean withImm = receive && request.immArrived;
        if (!cq.add(this, receive, retire, wrId, status, opcode, bytes, request.imm, withImm, solicited)) {
            device.overrun(cq);
        }
    }

    /** Back to RESET: nothing is flushed, everything is forgotten. */
    void reset() {
        state = QPS_RESET;
        sq.clear();
        rq.clear();
        sendCq.purge(this);
        recvCq.purge(this);
        requester.reset(0);
        responder.reset(0);
    }
}
