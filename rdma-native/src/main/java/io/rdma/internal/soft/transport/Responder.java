package io.rdma.internal.soft.transport;

import static io.rdma.internal.ffi.Ibv.*;

import io.rdma.internal.os.NativeMemory;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.ReceiveSide;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

// Invariants (device thread)
// - `expected` is the PSN of the next new request packet. Older ones are duplicates, newer ones show a loss and are
// answered with one NAK.
// - Reads and atomics become jobs, answered in order; one acknowledge or NAK can be pending and is sent only behind all
// jobs, so it cannot overtake.
// - An acknowledge never carries the PSN of a read or atomic, whose answer alone ends it: rdma_rxe takes it for that
// answer.
// - A request that is refused for good ends the queue pair after its NAK was sent.

/** The receiving side of a queue pair: checks, executes and answers what the peer asks. IB spec volume 1, 9.7. */
final class Responder implements ReceiveSide {
    private static final int BUDGET = 64;
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
    private static final int NONE = -1;

    private final SoftQp qp;
    private final Packet packet = new Packet();
    private AnswerQueue answers = new AnswerQueue(1);
    private int expected;
    private int acknowledgeable; // PSN of the last packet that was executed and is no read or atomic
    private int msn;
    private boolean nakSent;
    private int pendingSyndrome = NONE;
    private int pendingPsn;
    private boolean fatal;
    private int message = NONE; // SEND_FIRST or WRITE_FIRST while a message of several packets goes on
    private long received; // bytes of it so far
    private long writeAddress;
    private long writeLength;
    private int writeRkey;

    Responder(SoftQp qp) {
        this.qp = qp;
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
        answers = new AnswerQueue(Math.max(1, qp.attr.maxDestRdAtomic()));
    }

    @Override
    public boolean run() {
        int budget = BUDGET;
        while (!answers.isEmpty() && budget-- > 0) {
            if (!answer(answers.first())) {
                return false;
            }
        }
        if (!answers.isEmpty()) {
            return true;
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
     * @return false if the queue pair went to ERR
     */
    private boolean answer(AnswerQueue.Job job) {
        int psn = Psn.add(job.psn, job.sent);
        if (job.atomic) {
            packet.reset(Opcode.ATOMIC_ACKNOWLEDGE, qp.attr.destQpNum(), psn);
            packet.original = job.original;
        } else {
            boolean first = job.sent == 0;
            boolean last = job.sent == job.packets - 1;
            int opcode = first
                    ? (last ? Opcode.READ_ONLY : Opcode.READ_FIRST)
                    : (last ? Opcode.READ_LAST : Opcode.READ_MIDDLE);
            packet.reset(opcode, qp.attr.destQpNum(), psn);
            long offset = (long) job.sent * qp.mtu;
            int bytes = (int) Math.min(qp.mtu, job.length - offset);
            if (bytes > 0) {
                SoftPd pd = job.pd == null ? qp.pd : job.pd;
                long address =
                        qp.device.keys().remote(qp, pd, job.rkey, job.address + offset, bytes, ACCESS_REMOTE_READ);
                if (address == 0) { // deregistered while the answer was on its way
                    if (job.fresh) {
                        answers.clear();
                        refuse(Aeth.NAK_REMOTE_ACCESS, psn);
                    } else {
                        answers.removeFirst();
                    }
                    return true;
                }
                packet.addPiece(address, bytes);
            }
        }
        packet.syndrome = Aeth.ACK;
        packet.msn = msn;
        if (++job.sent == job.packets) {
            answers.removeFirst();
        }
        qp.device.transmit(qp, packet);
        return qp.state != QPS_ERR;
    }

    @Override
    public void request(Packet p) {
        if (qp.state < QPS_RTR || qp.state > QPS_SQD || fatal) {
            return;
        }
        int distance = Psn.diff(p.psn, expected);
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
        } else if (pendingSyndrome == NONE) {
            pend(Aeth.ACK, acknowledgeable);
        }
    }

    private void execute(Packet p) {
        if (qp.transport == Opcode.XRC && !qp.select(p.srqn)) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        boolean startsOrAlone = Opcode.starts(p.opcode) || p.opcode == Opcode.READ_REQUEST || Opcode.isAtomic(p.opcode);
        boolean sameKind = message == Opcode.SEND_FIRST ? Opcode.isSend(p.opcode) : Opcode.isWrite(p.opcode);
        if (startsOrAlone ? message != NONE : message == NONE || !sameKind) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (p.opcode == Opcode.READ_REQUEST) {
            addRead(p, true);
        } else if (Opcode.isAtomic(p.opcode)) {
            atomic(p);
        } else if (Opcode.goesOn(p.opcode) && p.payload != qp.mtu || p.payload > qp.mtu) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (Opcode.isSend(p.opcode)) {
            send(p);
        } else {
            write(p);
        }
    }

    private void notReady(int psn) {
        qp.device.counters().count(Counter.SEND_RNR_ERR);
        nakSent = true; // what follows the refused packet is out of order, silently
        pend(Aeth.RNR | qp.attr.minRnrTimer(), psn);
    }

    private void send(Packet p) {
        QueuedRequest into = qp.receive();
        if (into == null) {
            notReady(p.psn);
            return;
        }
        long offset = message == NONE ? 0 : received;
        if (offset + p.payload > into.length) {
            qp.receiveFailed(into, WC_LOC_LEN_ERR);
            end(Aeth.NAK_INVALID_REQUEST, p.psn);
        } else if (!qp.device.keys().scatter(qp.pd, into, offset, p)) {
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
            writeAddress = p.remoteAddress;
            writeLength = p.length;
            writeRkey = p.rkey;
            received = 0;
            boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_WRITE) != 0;
            if (!allowed || !covers(writeRkey, writeAddress, writeLength, ACCESS_REMOTE_WRITE)) {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
                return;
            }
        }
        boolean goesOn = Opcode.goesOn(p.opcode);
        long total = received + p.payload;
        if (total > writeLength || !goesOn && total != writeLength) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        long to = 0;
        if (p.payload > 0) {
            // Again for each packet: the region may have been deregistered in between.
            to = qp.device.keys().remote(qp, writeRkey, writeAddress + received, p.payload, ACCESS_REMOTE_WRITE);
            if (to == 0) {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
                return;
            }
        }
        // Last, because a shared queue does not take a receive back.
        QueuedRequest consumed = Opcode.hasImm(p.opcode) ? qp.receive() : null;
        if (Opcode.hasImm(p.opcode) && consumed == null) {
            notReady(p.psn);
            return;
        }
        if (to != 0) {
            p.copyOut(0, to, p.payload);
        }
        received = total;
        message = goesOn ? Opcode.WRITE_FIRST : NONE;
        if (!goesOn) {
            msn++;
            if (consumed != null) {
                qp.received(consumed, p, WC_RECV_RDMA_WITH_IMM, writeLength);
            }
        }
        accept(p);
    }

    private void accept(Packet p) {
        acknowledgeable = p.psn;
        expected = Psn.add(expected, 1);
        qp.used();
        if (p.ackRequest) {
            if (pendingSyndrome == Aeth.ACK) {
                qp.device.counters().count(Counter.ACK_DEFERRED);
            }
            pend(Aeth.ACK, p.psn);
        } else if (pendingSyndrome != Aeth.ACK) {
            pendingSyndrome = NONE; // what was refused has come right before the refusal was sent
        }
    }

    private boolean covers(int rkey, long address, long length, int access) {
        return length == 0 || qp.device.keys().remote(qp, rkey, address, length, access) != 0;
    }

    /**
     * An old request that does not fit any more, as it may come late from the network, is nobody's fault: it is
     * dropped.
     */
    private void addRead(Packet p, boolean fresh) {
        boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_READ) != 0;
        if (!allowed || !covers(p.rkey, p.remoteAddress, p.length, ACCESS_REMOTE_READ)) {
            if (fresh) {
                refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            }
            return;
        }
        int packets = (int) Math.max(1, (p.length + qp.mtu - 1) / qp.mtu);
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
        job.pd = qp.pd;
        if (fresh) {
            accept(packets);
        }
    }

    /**
     * A read or atomic, whose answer says that all before it has arrived; an acknowledge of that would come behind it,
     * out of order.
     */
    private void accept(int packets) {
        expected = Psn.add(expected, packets);
        qp.used();
        msn++;
        pendingSyndrome = NONE;
    }

    /**
     * Memory that is not aligned to its eight bytes is refused like an address that is not, IB specification volume 1,
     * 9.4.5: in a zero-based region or window the two differ.
     */
    private void atomic(Packet p) {
        boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_ATOMIC) != 0;
        boolean aligned = isAligned(p.remoteAddress);
        long address = allowed && aligned
                ? qp.device.keys().remote(qp, p.rkey, p.remoteAddress, Long.BYTES, ACCESS_REMOTE_ATOMIC)
                : 0;
        if (aligned && address == 0) {
            refuse(Aeth.NAK_REMOTE_ACCESS, p.psn);
            return;
        }
        AnswerQueue.Job job = aligned && isAligned(address) ? answers.add(true, true, p.psn, 1) : null;
        if (job == null) {
            refuse(Aeth.NAK_INVALID_REQUEST, p.psn);
            return;
        }
        // Atomic for the CPU as well.
        job.original = p.opcode == Opcode.FETCH_ADD
                ? (long) LONGS.getAndAdd(NativeMemory.ALL, address, p.swapAdd)
                : (long) LONGS.compareAndExchange(NativeMemory.ALL, address, p.compare, p.swapAdd);
        answers.keep(p.psn, job.original);
        accept(1);
    }

    private static boolean isAligned(long address) {
        return (address & (Long.BYTES - 1)) == 0;
    }

    private void pend(int syndrome, int psn) {
        pendingSyndrome = syndrome;
        pendingPsn = psn;
    }

    /** Ends the queue pair for a request that no receive can complete with an error. */
    private void refuse(int syndrome, int psn) {
        qp.tell(syndrome == Aeth.NAK_REMOTE_ACCESS ? EVENT_QP_ACCESS_ERR : EVENT_QP_REQ_ERR);
        end(syndrome, psn);
    }

    private void end(int syndrome, int psn) {
        fatal = true;
        pend(syndrome, psn);
    }
}
