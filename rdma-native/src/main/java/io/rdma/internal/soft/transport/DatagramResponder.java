package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.ReceiveSide;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.RouteHeader;

/**
 * Receiving side of a UD queue pair. It writes 40 bytes of route header, then the message, into one receive. IB
 * specification volume 1, 9.8.3. A datagram with the wrong QKey, or without a posted receive, is dropped and counted. A
 * receive that is too short fails, and the queue pair with it, as on hardware. Device thread.
 */
final class DatagramResponder implements ReceiveSide {
    private static final int LARGEST_MTU = 4096;

    private final SoftQp qp;
    private boolean fatal;

    DatagramResponder(SoftQp qp) {
        this.qp = qp;
    }

    @Override
    public void reset(int psn) {
        fatal = false;
    }

    @Override
    public boolean run() {
        if (fatal) {
            qp.error(); // here, not while the queue pair delivers a send to itself
        }
        return false;
    }

    @Override
    public void request(Packet p) {
        if (qp.state < QPS_RTR || qp.state > QPS_SQE || fatal) {
            return;
        }
        if (p.qkey != qp.attr.qkey()) {
            qp.device.counters().count(Counter.QKEY_ERR);
            return;
        }
        if (p.payload > LARGEST_MTU) {
            qp.device.counters().count(Counter.MALFORMED_PKTS); // no port accepts such a packet
            return;
        }
        QueuedRequest into = qp.receive();
        if (into == null) {
            qp.device.counters().count(Counter.LOST_PKTS);
            return;
        }
        int bytes = RouteHeader.BYTES + p.payload;
        if (bytes > into.length) {
            fail(into, WC_LOC_LEN_ERR);
        } else if (!qp.device.keys().scatterAtOnce(qp.pd, into, 0, qp.device.route())
                || !qp.device.keys().scatterAtOnce(qp.pd, into, RouteHeader.BYTES, p)) {
            fail(into, WC_LOC_PROT_ERR);
        } else {
            qp.received(into, p, WC_RECV, bytes);
        }
    }

    private void fail(QueuedRequest into, int status) {
        qp.receiveFailed(into, status);
        fatal = true;
        qp.device.runnable(qp);
    }
}
