package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.EVENT_QP_FATAL;
import static io.rdma.internal.ibv.Ibv.EVENT_QP_LAST_WQE_REACHED;
import static io.rdma.internal.ibv.Ibv.QPS_ERR;
import static io.rdma.internal.ibv.Ibv.QPS_RESET;
import static io.rdma.internal.ibv.Ibv.QPS_SQE;
import static io.rdma.internal.ibv.Ibv.QPT_RC;
import static io.rdma.internal.ibv.Ibv.QPT_UC;
import static io.rdma.internal.ibv.Ibv.QPT_UD;
import static io.rdma.internal.ibv.Ibv.QPT_XRC_RECV;
import static io.rdma.internal.ibv.Ibv.QPT_XRC_SEND;
import static io.rdma.internal.ibv.Ibv.WC_GRH;
import static io.rdma.internal.ibv.Ibv.WC_SUCCESS;
import static io.rdma.internal.ibv.Ibv.WC_WITH_IMM;
import static io.rdma.internal.ibv.Ibv.WC_WITH_INV;
import static io.rdma.internal.ibv.Ibv.WC_WR_FLUSH_ERR;

import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

// Invariants
// - Everything but the rings, `state` and `rung` belongs to the device thread.
// - In SQE, which only unreliable transports enter, the send queue is flushed.
// - In ERR every posted request gets a flush completion: those of the send queue in order, then those of the receive
// queue. Requests of a shared receive queue stay there; only the one that an arriving message had taken is flushed.
// - LAST_WQE_REACHED is reported once per transition into ERR, after those completions.

/** A queue pair: its rings, its attributes, a requester and a responder. */
public final class SoftQp extends SoftObject {
    public final Device device;
    public SoftPd pd; // of an XRC target: the domain of `srq`
    public final SoftCq sendCq;
    public final SoftCq recvCq;

    @Nullable
    public SoftSrq srq; // of an XRC target: the queue that the current message names

    public final QpCap cap;
    public final boolean signalAll;
    public final int transport; // Opcode.RC, UC, UD or XRC
    public final int operations; // that may be posted: bits 1 << IBV_WR_*
    public final int qpn;
    public final WorkQueue sq;
    public final WorkQueue rq;
    public final SendSide requester;
    public final ReceiveSide responder;
    private QueuedRequest arriving; // of the shared receive queue; valid while `holding`
    private @Nullable SoftSrq arrivingFrom; // the queue that `arriving` fits
    public final @Nullable SoftXrcd xrcd; // of an XRC target
    public int owners = 1; // of an XRC target: callers that created or opened it; under the lock of SoftVerbs
    private boolean holding;
    private boolean lastTold;
    public int attached; // number of multicast groups
    public int index; // among all queue pairs of the device
    public boolean queued; // in the device's run queue
    public boolean crowded; // waits for room on the link
    public final ManagerCallbacks manager = new ManagerCallbacks();

    /**
     * Whether the peer has to send first, RFC 5044, 7.1.2. Set before the application may post. The device thread
     * clears it before the application can learn of the peer's request.
     */
    public boolean awaitsPeer;

    /** The exception of a run or delivery in this turn; it ends the queue pair before the turn ends. */
    @Nullable
    public Throwable broken;

    public final AtomicBoolean rung = new AtomicBoolean();
    public volatile int state = QPS_RESET;

    /** Operations that may be posted by the extended interface. Set before the queue pair is published. */
    public long sendOps;

    public QpAttr attr;

    @Nullable
    public InetSocketAddress peer; // null: this device

    /** The peer, with the fields of the IP headers of packets to it; set when it is connected. */
    public UdpAddress path = new UdpAddress();

    public int via; // index of the GID from which packets leave
    public final PathMigration migration;
    public final Pacer pacer = new Pacer();
    public int mtu; // of the path; for datagrams, of the port

    public SoftQp(
            Device device,
            int transport,
            SoftPd pd,
            SoftCq sendCq,
            SoftCq recvCq,
            @Nullable SoftSrq srq,
            QpCap cap,
            boolean signalAll,
            int qpn,
            @Nullable SoftXrcd xrcd) {
        this.xrcd = xrcd;
        this.arrivingFrom = srq;
        this.device = device;
        this.transport = transport;
        operations = device.personality().operations(transport);
        this.pd = pd;
        this.sendCq = sendCq;
        this.recvCq = recvCq;
        this.srq = srq;
        this.cap = cap;
        this.signalAll = signalAll;
        this.qpn = qpn;
        sq = new WorkQueue(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
        rq = new WorkQueue(cap.maxRecvWr(), cap.maxRecvSge(), 0);
        arriving = srq == null ? new QueuedRequest(0, 0) : srq.place();
        migration = new PathMigration(this);
        attr = QpTransitions.initial(cap);
        mtu = transport == Opcode.UD ? device.mtu() : 0;
        requester = device.transports().requester(this);
        responder = device.transports().responder(this);
    }

    @Override
    public String struct() {
        return "ibv_qp";
    }

    /** Returns the type, {@code IBV_QPT_*}. */
    public int type() {
        return switch (transport) {
            case Opcode.RC -> QPT_RC;
            case Opcode.UC -> QPT_UC;
            case Opcode.XRC -> xrcd == null ? QPT_XRC_SEND : QPT_XRC_RECV;
            default -> QPT_UD;
        };
    }

    /**
     * Runs both sides, within a bound.
     *
     * @return whether work remains that needs no further event
     */
    public boolean run(long now) {
        if (state == QPS_ERR) {
            flush();
            return false;
        }
        if (state == QPS_SQE) {
            flush(sq, sendCq, false);
        }
        boolean more = responder.run();
        return requester.run(now) | more;
    }

    /** Takes a path from one of the device's GIDs. */
    void takePath(int gidIndex, InetSocketAddress target, UdpAddress to) {
        via = gidIndex;
        peer = gidIndex == 0 && target.equals(device.local()) ? null : target;
        path = to;
    }

    /** Notes that a request of the peer was accepted. */
    public void used() {
        awaitsPeer = false;
        manager.used();
    }

    /** Returns whether its packets can be lost; if so, the number of packets in flight is limited. */
    public boolean overLink() {
        return peer != null || device.faulty();
    }

    /**
     * Enters SQE after the oldest send of an unreliable transport failed locally. Later sends are flushed; receives
     * continue. IB specification volume 1, 10.3.1.
     */
    public void sendError() {
        state = QPS_SQE;
        flush(sq, sendCq, false);
    }

    /** Enters ERR for an internal fault: {@code IBV_EVENT_QP_FATAL}. The queue pair is flushed when it next runs. */
    public void lose() {
        if (state != QPS_ERR) {
            state = QPS_ERR;
            tell(EVENT_QP_FATAL);
            device.runnable(this);
            manager.ended();
        }
    }

    /** Enters ERR and flushes all posted requests. */
    public void error() {
        state = QPS_ERR;
        flush();
        manager.ended();
    }

    private void flush() {
        flush(sq, sendCq, false);
        flush(rq, recvCq, true);
        if (srq != null) {
            if (holding) {
                complete(receiveCq(), true, received(), arriving.wrId, WC_WR_FLUSH_ERR, 0, 0, arriving, false);
            }
            if (!lastTold) {
                lastTold = true;
                tell(EVENT_QP_LAST_WQE_REACHED);
            }
        }
    }

    /** Reports an asynchronous event of this queue pair, after its completions. */
    public void tell(int eventType) {
        sendCq.show();
        receiveCq().show();
        pd.context.tell(eventType, this, qpn);
    }

    /** Returns the receive for the arriving message, or null. One of a shared queue is taken from it for good. */
    @Nullable
    public QueuedRequest receive() {
        if (srq == null) {
            return rq.taken < rq.posted() ? rq.at(rq.taken) : null;
        }
        if (!holding) {
            if (arrivingFrom != srq) {
                arrivingFrom = srq;
                arriving = srq.place();
            }
            QueuedRequest oldest = srq.take(arriving);
            if (oldest == null) {
                return null;
            }
            arriving = oldest;
            holding = true;
        }
        return arriving;
    }

    /**
     * Ends the receive that {@link #receive} returned.
     *
     * @return the position up to which the poll of its completion frees slots
     */
    public long received() {
        if (srq == null) {
            return ++rq.taken;
        }
        holding = false;
        return 0;
    }

    /** Completes the receive that {@link #receive} returned, for a message or a write with immediate data. */
    public void received(QueuedRequest into, Packet p, int opcode, long bytes) {
        awaitsPeer = false;
        into.arrivedWith = (Opcode.hasImm(p.opcode) ? WC_WITH_IMM : Opcode.hasIeth(p.opcode) ? WC_WITH_INV : 0)
                | (transport == Opcode.UD ? WC_GRH : 0);
        into.imm = Opcode.hasIeth(p.opcode) ? p.invalidate : p.imm;
        into.srcQpn = p.srcQpn;
        complete(receiveCq(), true, received(), into.wrId, WC_SUCCESS, opcode, bytes, into, p.solicited);
    }

    public void receiveFailed(QueuedRequest into, int status) {
        complete(receiveCq(), true, received(), into.wrId, status, 0, 0, into, true);
    }

    /** Frees the slots of a completion that was polled. Any thread. */
    void retire(boolean receive, long upTo, @Nullable SoftSrq source) {
        if (source != null) {
            source.release();
        } else {
            (receive ? rq : sq).retire(upTo);
        }
    }

    /** Frees the slot of a completion that will never be polled. */
    void dropped(@Nullable SoftSrq source) {
        if (source != null) {
            source.release();
        }
    }

    private SoftCq receiveCq() {
        SoftCq ofQueue = srq == null ? null : srq.cq;
        return ofQueue == null ? recvCq : ofQueue;
    }

    /**
     * Selects the shared receive queue that a packet names by its number.
     *
     * @return false if this queue pair may not use it
     */
    public boolean select(int srqn) {
        if (srq != null && srq.number == srqn) {
            return true;
        }
        SoftSrq wanted = device.sharedQueue(srqn);
        if (xrcd == null || wanted == null || !xrcd.isSameAs(wanted.xrcd) || holding) {
            return false;
        }
        srq = wanted;
        pd = wanted.pd;
        return true;
    }

    /** Drops a destroyed shared receive queue from an XRC target. Device thread. */
    public void forget(SoftSrq gone) {
        if (xrcd != null && srq == gone) {
            holding = false;
            srq = null;
        }
    }

    /** Drops the receive of an arriving message without a completion. */
    public void forgetArriving() {
        if (holding) {
            holding = false;
            dropped(srq);
        }
    }

    private void flush(WorkQueue queue, SoftCq cq, boolean receive) {
        long posted = queue.posted();
        while (queue.taken < posted) {
            QueuedRequest request = queue.at(queue.taken++);
            complete(cq, receive, queue.taken, request.wrId, WC_WR_FLUSH_ERR, 0, 0, request, false);
        }
    }

    /** Adds a completion. An overrun ends all queue pairs of that completion queue. */
    public void complete(
            SoftCq cq,
            boolean receive,
            long retire,
            long wrId,
            int status,
            int opcode,
            long bytes,
            QueuedRequest request,
            boolean solicited) {
        if (receive && status == WC_SUCCESS) {
            device.counters().count(Counter.RDMA_RECVS);
        }
        if (!cq.add(this, receive, retire, wrId, status, opcode, bytes, request, solicited)) {
            dropped(receive ? srq : null);
            device.overrun(cq);
        }
    }

    /** Returns to RESET. Drops all requests and completions without a flush. */
    void reset() {
        state = QPS_RESET;
        sq.clear();
        rq.clear();
        sendCq.purge(this);
        recvCq.purge(this);
        forgetArriving();
        device.keys().forget(this);
        lastTold = false;
        awaitsPeer = false;
        migration.reset();
        pacer.limit(0, 0, 0, 0);
        pd.context.forget(this);
        requester.reset(0);
        responder.reset(0);
        manager.ended();
    }
}
