package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.EVENT_SQ_DRAINED;
import static io.rdma.internal.ibv.Ibv.QPS_RTS;
import static io.rdma.internal.ibv.Ibv.QPS_SQD;
import static io.rdma.internal.ibv.Ibv.WC_LOC_PROT_ERR;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.SendSide;
import io.rdma.internal.soft.objects.SoftAh;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - sq.taken is the request that is being sent, `index` its next packet. 0 <= index < packets.
// - A request ends when its last packet is handed to the link. The peer sends no responses, and nothing is sent twice.

/** Sending side of a UC or UD queue pair. IB specification volume 1, 9.8. */
final class UnreliableRequester implements SendSide {
    private static final int BUDGET = 64;

    private final SoftQp qp;
    private final Segmenter segmenter;
    private final Packet packet = new Packet();
    private int index;
    private int nextPsn;
    private boolean tellDrained;

    UnreliableRequester(SoftQp qp) {
        this.qp = qp;
        segmenter = new Segmenter(qp);
    }

    @Override
    public void reset(int psn) {
        index = 0;
        nextPsn = psn;
        tellDrained = false;
    }

    @Override
    public long wakeAt() {
        return sends() ? qp.pacer.wakeAt(0) : 0;
    }

    private boolean sends() {
        return qp.state == QPS_RTS || qp.state == QPS_SQD && draining();
    }

    @Override
    public boolean run(long now) {
        qp.pacer.refill(now);
        int budget = BUDGET;
        while (sends() && budget > 0 && sendNext()) {
            budget--;
        }
        if (qp.state == QPS_SQD && tellDrained && !draining()) {
            tellDrained = false;
            qp.tell(EVENT_SQ_DRAINED);
        }
        return budget == 0;
    }

    @Override
    public void drain(boolean tell) {
        tellDrained = tell;
    }

    @Override
    public boolean draining() {
        return index > 0;
    }

    private boolean sendNext() {
        if (qp.sq.taken == qp.sq.posted()) {
            return false;
        }
        QueuedRequest request = qp.sq.at(qp.sq.taken);
        if (qp.pacer.packets(qp.mtu) == 0) {
            return false;
        }
        if (request.ah == null && qp.overLink() && !qp.device.hasRoom(qp)) {
            return false;
        }
        if (index == 0) {
            if (!segmenter.localMemory(request)) {
                fail(request);
                return false;
            }
            request.packets = segmenter.packets(request);
        }
        Access built = segmenter.build(packet, request, index, 1, nextPsn);
        if (built == Access.REFUSED) {
            index = 0;
            fail(request);
        }
        if (built != Access.DONE) {
            return false;
        }
        nextPsn = Psn.add(nextPsn, 1);
        qp.pacer.sent(packet.payload, 1);
        SoftAh path = request.ah;
        if (path == null) {
            qp.device.transmit(qp, packet);
        } else {
            packet.destQpn = request.remoteQpn;
            // A privileged QKey (highest bit set) selects the queue pair's own, IB specification volume 1, 10.2.5.
            packet.qkey = request.remoteQkey < 0 ? qp.attr.qkey() : request.remoteQkey;
            packet.srcQpn = qp.qpn;
            qp.device.transmit(packet, path);
        }
        if (++index == request.packets) {
            index = 0;
            qp.sq.taken++;
            segmenter.succeed(request);
        }
        return true;
    }

    private void fail(QueuedRequest request) {
        qp.sq.taken++;
        qp.complete(qp.sendCq, false, qp.sq.taken, request.wrId, WC_LOC_PROT_ERR, 0, 0, request, false);
        qp.sendError();
    }

    @Override
    public void response(Packet packet, long now) {
        // Ignored: unreliable requests have no responses, so this is not a packet of this transport.
    }
}
