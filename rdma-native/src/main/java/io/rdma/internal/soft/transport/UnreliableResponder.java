package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.ReceiveSide;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - `expected` is the PSN of the next packet, which continues the current message or starts another.
// - A missing or invalid packet loses its whole message: later packets are ignored until one starts another message.
// The next message fills the receive that the lost one had begun to fill.

/**
 * Receiving side of a UC queue pair. It executes messages that arrive whole, and sends no responses. IB specification
 * volume 1, 9.8.2.
 */
final class UnreliableResponder implements ReceiveSide {
    private static final int NONE = -1;

    private final SoftQp qp;
    private int expected;
    private int message = NONE; // SEND_FIRST or WRITE_FIRST within a message of several packets
    private long done; // bytes of that message so far
    private final WriteTarget target;

    UnreliableResponder(SoftQp qp) {
        this.qp = qp;
        target = new WriteTarget(qp);
    }

    @Override
    public void reset(int psn) {
        expected = psn;
        message = NONE;
        target.reset();
    }

    @Override
    public boolean run() {
        if (message == NONE) {
            target.settle(); // without an answer, what cannot be placed is lost
        }
        return false;
    }

    @Override
    public void request(Packet p) {
        if (qp.state < QPS_RTR || qp.state > QPS_SQE) {
            return;
        }
        boolean starts = Opcode.starts(p.opcode);
        boolean sameKind = message == Opcode.SEND_FIRST ? Opcode.isSend(p.opcode) : Opcode.isWrite(p.opcode);
        boolean fits = starts || p.psn == expected && message != NONE && sameKind;
        boolean sized = p.mtu == 0 && (Opcode.goesOn(p.opcode) ? p.payload == qp.mtu : p.payload <= qp.mtu);
        expected = Psn.add(p.psn, 1);
        if (starts) {
            message = NONE;
            done = 0;
        }
        if (Opcode.isSend(p.opcode)) {
            target.settle();
        }
        boolean whole = fits && sized && (Opcode.isSend(p.opcode) ? send(p) : write(p));
        if (!whole) {
            message = NONE;
            qp.device.counters().count(Counter.LOST_PKTS);
        } else if (Opcode.goesOn(p.opcode)) {
            message = Opcode.isSend(p.opcode) ? Opcode.SEND_FIRST : Opcode.WRITE_FIRST;
            done += p.payload;
        } else {
            message = NONE;
        }
        if (target.isUnsettled()) {
            qp.device.runnable(qp);
        }
    }

    private boolean send(Packet p) {
        QueuedRequest into = qp.receive();
        if (into == null || done + p.payload > into.length || !qp.device.keys().scatterAtOnce(qp.pd, into, done, p)) {
            return false;
        }
        if (!Opcode.goesOn(p.opcode)) {
            qp.received(into, p, WC_RECV, done + p.payload);
        }
        return true;
    }

    private boolean write(Packet p) {
        if (Opcode.starts(p.opcode)) {
            target.name(p);
        }
        long total = done + p.payload;
        boolean goesOn = Opcode.goesOn(p.opcode);
        if (goesOn ? total > target.length() : total != target.length()) {
            return false;
        }
        if (target.findUnreliable(done, p.payload) == Access.REFUSED) { // after a page fault the page is there
            return false;
        }
        QueuedRequest consumed = Opcode.hasImm(p.opcode) ? qp.receive() : null;
        if (Opcode.hasImm(p.opcode) && consumed == null) {
            return false;
        }
        if (!target.write(p)) {
            return false;
        }
        if (consumed != null) {
            qp.received(consumed, p, WC_RECV_RDMA_WITH_IMM, target.length());
        }
        return true;
    }
}
