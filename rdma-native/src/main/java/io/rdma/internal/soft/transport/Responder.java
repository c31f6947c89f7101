package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.OnDemandPaging;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.ReceiveSide;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - `expected` is the PSN of the next new request packet. Older packets are duplicates. Newer ones show a loss and are
// answered with one NAK.
// - Reads and atomics become jobs, which are answered in order. At most one acknowledgement or NAK is pending. It is
// sent only after all jobs, so it cannot overtake them.
// - An acknowledgement never carries the PSN of a read or atomic, which only its response ends: rdma_rxe mistakes such
// an acknowledgement for the response.
// - A request that is refused for good ends the queue pair after its NAK is sent.

/**
 * Receiving side of a reliable queue pair. It checks, executes and answers the peer's requests. IB specification volume
 * 1, 9.7.
 */
final class Responder implements ReceiveSide {
    private static final int BUDGET = 64;
    private static final int NONE = -1;
    private static final int SHORTEST_RNR_TIMER = 1;

    /** More packets than a peer has in flight over a link, {@link CongestionWindow}. */
    private static final int NEAR = 1 << 12;

    private final SoftQp qp;
    private final Packet packet;
    private AnswerQueue answers = new AnswerQueue(1);
    private int expected;
    private int acknowledgeable; // PSN of the last executed packet that is not a read or atomic
    private int msn;
    private boolean nakSent;
    private int pendingSyndrome = NONE;
    private int pendingPsn;
    private boolean fatal;
    private int message = NONE; // SEND_FIRST or WRITE_FIRST within a message of several packets
    private long received; // bytes of that message so far
    private final WriteTarget target;
    private final Placement placement;

    Responder(SoftQp qp) {
        this.qp = qp;
        target = new WriteTarget(qp);
        placement = new Placement(qp);
        packet = qp.device.outgoing();
    }

    @Override
    public void reset(int psn) {
        expected = psn;
        acknowledgeable = Psn.add(psn, -1);
        msn = 0;
        nakSent = false;
        pendingSyndrome = NONE;
        fatal = false;
        message = NONE;
        target.reset();
        placement.reset();
        answers = new AnswerQueue(Math.max(1, qp.attr.maxDestRdAtomic()));
    }

    @Override
    public boolean run() {
        int budget = BUDGET;
        while (!answers.isEmpty() && budget > 0) {
            int sent = answer(answers.first());
            if (sent == 0) {
                return false;
            }
            budget -= sent;
        }
        if (!answers.isEmpty()) {
            return true;
        }
        if ((message == NONE || pendingSyndrome != NONE) && !target.settle() && !fatal) {
            refuse(Aeth.NAK_REMOTE_ACCESS, acknowledgeable);
        }
        if (pendingSyndrome != NONE) {
            packet.reset(Opcode.ACKNOWLEDGE, qp.attr.destQpNum(), pendingPsn);
            packet.syndrome = pendingSyndrome;
            packet.msn = msn;
            pendingSyndrome = NONE;
            qp.device.transmit(qp, packet);
            if (fatal) {
                qp.error();
            }
        }
        return false;
    }

    /**
     * Sends the next packet of a job.
     *
     * @return the number of packets that it stands for; 0 if the queue pair is in ERR, or the answer has to wait
     */
    private int answer(AnswerQueue.Job job) {
        if (!job.atomic && qp.overLink() && !qp.device.hasRoom(qp)) {
            return 0;
        }
        int count = job.packets - job.sent;
        if (count > 1) {
            count = Math.min(count, qp.device.packetsAtOnce(qp));
        }
        int psn = Psn.add(job.psn, job.sent);
        if (job.atomic) {
            packet.reset(Opcode.ATOMIC_ACKNOWLEDGE, qp.attr.destQpNum(), psn);
            packet.original = job.original;
        } else {
            boolean first = job.sent == 0;
            boolean last = job.sent + count == job.packets;
            packet.reset(Opcode.part(Opcode.READ_ONLY, first, last), qp.attr.destQpNum(), psn);
            packet.mtu = count > 1 ? qp.mtu : 0;
            long offset = (long) job.sent * qp.mtu;
            int bytes = (int) Math.min((long) count * qp.mtu, job.length - offset);
            if (bytes > 0) {
                long address = ReadSource.find(qp, packet, job, offset, bytes);
                if (address == OnDemandPaging.FAULT) {
                    return 0;
                }
                if (address == 0) { // deregistered before the whole response was sent
                    if (job.fresh) {
                        answers.clear();
                        refuse(Aeth.NAK_REMOTE_ACCESS, psn);
                    } else {
                        answers.removeFirst();
                    }
                    return 1;
                }
                packet.addPiece(address, bytes);
            }
        }
        packet.syndrome = Aeth.ACK;
        packet.msn = msn;
        job.sent += count;
        if (job.sent == job.packets) {
            answers.removeFirst();
        }
        qp.device.transmit(qp, packet);
        return qp.state == QPS_ERR ? 0 : count;
    }

    @Override
    public boolean isNear(Packet p) {
        return Math.abs(Psn.diff(p.psn, expected)) <= NEAR;
    }

    @Override
    public void request(Packet p) {
        if (qp.state < QPS_RTR || qp.state > QPS_SQD || fatal) {
            return;
        }
        int distance = Psn.diff(p.psn, expected);
        if (distance < 0 && distance + p.packets() > 0) { // of a joined packet only the first ones are old
            p.skip(-distance);
            distance = 0;
        }
        if (distance < 0) {
            duplicate(p);
        } else if (distance > 0) {
            qp.device.counters().count(Counter.OUT_OF_SEQ_REQUEST);
            if (!nakSent) {
                nakSent = true;
                pend(Aeth.NAK_SEQUENCE, expected);
            }
        } else {
            nakSent = false;
            execute(p);
        }
        qp.device.runnable(qp);
    }

    private void duplicate(Packet p) {
        qp.device.counters().count(Counter.DUPLICATE_REQUEST);
        if (p.opcode == Opcode.READ_REQUEST) {
            if (!answers.repeats(p.psn)) {
                addRead(p, false);
            }
        } else if (Opcode.isAtomic(p.opcode)) {
            answers.repeatAtomic(p.psn);
        } else if (Opcode.isPlacement(p.opcode)) { // executed once; only the answer is repeated
            if (!answers.repeats(p.psn)) {
                answers.addEmpty(false, p.psn);
            }
        } else if (pendingSyndrome == NONE) {
            pend(Aeth.ACK, acknowledgeable);
        }
    }

    private void execute(Packet p) {
        if (qp.transport == Opcode.XRC && !qp.select(p.srqn)) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        if (!Opcode.isWrite(p.opcode) && !target.settle()) {
            refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            return;
        }
        boolean startsOrAlone = Opcode.starts(p.opcode) || Opcode.isAnswered(p.opcode);
        boolean sameKind = message == Opcode.SEND_FIRST ? Opcode.isSend(p.opcode) : Opcode.isWrite(p.opcode);
        if (startsOrAlone ? message != NONE : message == NONE || !sameKind) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (p.opcode == Opcode.READ_REQUEST) {
            addRead(p, true);
        } else if (Opcode.isAtomic(p.opcode)) {
            atomic(p);
        } else if (Opcode.isPlacement(p.opcode)) {
            place(p);
        } else if (!isSized(p)) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (Opcode.isSend(p.opcode)) {
            send(p);
        } else {
            write(p);
        }
    }

    private boolean isSized(Packet p) {
        boolean whole = p.payload > 0 && p.payload % qp.mtu == 0;
        return (p.mtu == 0 ? p.payload <= qp.mtu : p.mtu == qp.mtu) && (whole || !Opcode.goesOn(p.opcode));
    }

    private void notReady(int psn) {
        if (!qp.device.personality().hasReceiverNotReady()) {
            end(Aeth.NAK_REMOTE_OPERATION, psn);
            return;
        }
        qp.device.counters().count(Counter.SEND_RNR_ERR);
        nakSent = true; // packets after the refused one are dropped without another NAK
        pend(Aeth.RNR | qp.attr.minRnrTimer(), psn);
    }

    /** Answers a request whose memory cannot be accessed, or not yet: adapters answer a page fault by an RNR NAK. */
    private void notAccessed(Access access, int psn) {
        if (access == Access.PAGE_FAULT) {
            notYet(SHORTEST_RNR_TIMER, psn);
        } else {
            refuse(Aeth.NAK_REMOTE_ACCESS, psn);
        }
    }

    private void notYet(int rnrTimer, int psn) {
        nakSent = true;
        pend(Aeth.RNR | rnrTimer, psn);
    }

    private void send(Packet p) {
        QueuedRequest into = qp.receive();
        if (into == null) {
            notReady(p.psn);
            return;
        }
        long offset = message == NONE ? 0 : received;
        Access access = Access.REFUSED;
        if (offset + p.payload > into.length) {
            qp.receiveFailed(into, WC_LOC_LEN_ERR);
            end(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if ((access = qp.device.keys().scatter(qp.pd, into, offset, p)) == Access.PAGE_FAULT) {
            notAccessed(access, p.psn);
        } else if (access == Access.REFUSED) {
            qp.receiveFailed(into, WC_LOC_PROT_ERR);
            end(Aeth.NAK_REMOTE_OPERATION, p.psn);
        } else if (Opcode.hasIeth(p.opcode) && !qp.device.keys().invalidate(qp, p.invalidate)) {
            qp.receiveFailed(into, WC_REM_INV_REQ_ERR);
            end(Aeth.NAK_REMOTE_ACCESS, p.psn);
        } else {
            received = offset + p.payload;
            if (Opcode.goesOn(p.opcode)) {
                message = Opcode.SEND_FIRST;
            } else {
                message = NONE;
                msn++;
                qp.received(into, p, WC_RECV, received);
            }
            accept(p);
        }
    }

    private void write(Packet p) {
        if (Opcode.starts(p.opcode)) {
            target.name(p);
            received = 0;
            if (!target.isAllowed()) {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
                return;
            }
        }
        boolean goesOn = Opcode.goesOn(p.opcode);
        long total = received + p.payload;
        if (total > target.length() || !goesOn && total != target.length()) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        Access access = target.find(received, p.payload);
        if (access != Access.DONE) {
            notAccessed(access, p.psn);
            return;
        }
        // Last, because a receive cannot be returned to a shared queue.
        QueuedRequest consumed = Opcode.hasImm(p.opcode) ? qp.receive() : null;
        if (Opcode.hasImm(p.opcode) && consumed == null) {
            notReady(p.psn);
            return;
        }
        if (!target.write(p)) {
            refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            return;
        }
        received = total;
        message = goesOn ? Opcode.WRITE_FIRST : NONE;
        if (!goesOn) {
            msn++;
            if (consumed != null) {
                qp.received(consumed, p, WC_RECV_RDMA_WITH_IMM, target.length());
            }
        }
        accept(p);
    }

    private void accept(Packet p) {
        expected = Psn.add(expected, p.packets());
        acknowledgeable = Psn.add(expected, -1);
        qp.used();
        if (p.ackRequest) {
            if (pendingSyndrome == Aeth.ACK) {
                qp.device.counters().count(Counter.ACK_DEFERRED);
            }
            pend(Aeth.ACK, acknowledgeable);
        } else if (pendingSyndrome != Aeth.ACK) {
            pendingSyndrome = NONE; // the refused packet arrived in order before the NAK was sent
        }
    }

    /**
     * Adds a read to the jobs, or refuses it. A repeated read that is no longer allowed is dropped instead: the network
     * may have delivered it late, which is not an error of the peer.
     */
    private void addRead(Packet p, boolean fresh) {
        SoftPd pd = ReadSource.domain(qp, p);
        if (!ReadSource.isAllowed(qp, pd, p)) {
            if (fresh) {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            }
            return;
        }
        int packets = Packet.packets(p.length, qp.mtu);
        AnswerQueue.Job job = answers.add(fresh, false, p.psn, packets);
        if (job == null) {
            if (fresh) {
                refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            }
            return;
        }
        job.address = p.remoteAddress;
        job.length = p.length;
        job.rkey = p.rkey;
        job.pd = pd;
        if (fresh) {
            accept(packets);
        }
    }

    /**
     * Accepts a read or atomic. Its response also acknowledges all earlier packets. A pending acknowledgement of those
     * would be sent after the response, out of order, and is dropped.
     */
    private void accept(int packets) {
        expected = Psn.add(expected, packets);
        qp.used();
        msn++;
        pendingSyndrome = NONE;
    }

    /**
     * Executes an atomic. Refuses it if the remote address or the memory is not aligned to eight bytes, IB
     * specification volume 1, 9.4.5: the two differ in a zero-based region or window.
     */
    private void atomic(Packet p) {
        boolean aligned = AtomicOperand.isAligned(p.remoteAddress);
        long address = aligned ? AtomicOperand.find(qp, p, ACCESS_REMOTE_ATOMIC) : 0;
        if (aligned && address <= 0) {
            notAccessed(address == OnDemandPaging.FAULT ? Access.PAGE_FAULT : Access.REFUSED, p.psn);
            return;
        }
        AnswerQueue.Job job = aligned && AtomicOperand.isAligned(address) ? answers.add(true, true, p.psn, 1) : null;
        if (job == null) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        job.original = AtomicOperand.execute(p, address);
        answers.keep(p.psn, job.original);
        accept(1);
    }

    /** Executes a FLUSH or ATOMIC WRITE. A peer with more in flight than there is room for has to repeat them. */
    private void place(Packet p) {
        boolean valid = placement.isValid(p);
        long address = valid ? placement.find(p) : 0;
        if (valid && (address == 0 || address == OnDemandPaging.FAULT)) {
            notAccessed(address == 0 ? Access.REFUSED : Access.PAGE_FAULT, p.psn);
        } else if (!valid || p.opcode == Opcode.ATOMIC_WRITE && !AtomicOperand.isAligned(address)) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (!answers.hasRoomForEmpty()) {
            notYet(SHORTEST_RNR_TIMER, p.psn);
        } else {
            Access access = placement.execute(p, address);
            if (access == Access.DONE) {
                answers.addEmpty(true, p.psn);
                accept(1);
            } else if (access == Access.PAGE_FAULT) {
                notYet(placement.rnrTimer(p), p.psn);
            } else {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            }
        }
    }

    private void pend(int syndrome, int psn) {
        pendingSyndrome = syndrome;
        pendingPsn = psn;
    }

    /** Refuses a request for which no receive can complete with an error, and ends the queue pair. */
    private void refuse(int syndrome, int psn) {
        qp.tell(syndrome == Aeth.NAK_REMOTE_ACCESS ? EVENT_QP_ACCESS_ERR : EVENT_QP_REQ_ERR);
        end(syndrome, psn);
    }

    private void end(int syndrome, int psn) {
        fatal = true;
        pend(syndrome, psn);
    }
}
