package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.Bind;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.SendSide;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Aeth;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - sq.taken is the oldest request without an outcome. `next` and `index` are the request and its packet to send next.
// taken <= next <= posted.
// - A request gets its PSNs when its first packet is first sent, and keeps them through every rewind.
// - Requests end in order. An answered request (read, atomic, flush, atomic write) ends when its last response has
// arrived, any other when its last PSN is acknowledged.

/**
 * Sending side of a reliable queue pair. It segments requests into packets, and completes them as the peer acknowledges
 * or responds. IB specification volume 1, 9.7.
 */
final class Requester implements SendSide {
    private static final int BUDGET = 64;
    private static final int INFINITE_RNR = 7;
    private static final long TIMER_UNIT_NANOS = 4096;
    /** Number of packets of a long message per requested acknowledgement, unless they are joined. */
    private static final int ACK_EVERY = 8;

    private final SoftQp qp;
    private final Segmenter segmenter;
    private final CongestionWindow window = new CongestionWindow();
    private final Packet packet;
    private long next;
    private int index; // packet within `next`
    private int nextPsn; // of the first packet of the next request without PSNs
    private int retries;
    private int rnrRetries;
    private boolean impliedNak;
    private long rnrUntil; // 0: not waiting
    private long deadline; // 0: nothing outstanding
    private boolean tellDrained;

    Requester(SoftQp qp) {
        this.qp = qp;
        packet = qp.device.outgoing();
        segmenter = new Segmenter(qp);
    }

    @Override
    public void reset(int psn) {
        next = qp.sq.taken;
        index = 0;
        nextPsn = psn;
        retries = 0;
        rnrRetries = 0;
        rnrUntil = 0;
        deadline = 0;
        tellDrained = false;
        window.reset(qp.device.packetsInFlight(qp));
    }

    @Override
    public long wakeAt() {
        if (!active()) {
            return 0; // a time that is over would keep the device's thread awake until the queue pair is destroyed
        }
        return rnrUntil != 0 ? rnrUntil : qp.pacer.wakeAt(deadline);
    }

    @Override
    public boolean run(long now) {
        if (!active()) {
            return false;
        }
        if (rnrUntil != 0) {
            if (now - rnrUntil < 0) {
                return false;
            }
            rnrUntil = 0;
        } else if (deadline != 0 && now - deadline >= 0) {
            timeout();
        }
        qp.pacer.refill(now);
        int budget = BUDGET;
        for (int sent; active() && budget > 0 && rnrUntil == 0 && (sent = sendNext(now)) > 0; ) {
            budget -= sent;
        }
        if (qp.state == QPS_SQD && tellDrained && !draining()) {
            tellDrained = false;
            qp.tell(EVENT_SQ_DRAINED);
        }
        return budget <= 0;
    }

    /** Returns whether packets may be sent. In SQD only requests in progress continue. */
    private boolean active() {
        return qp.state == QPS_RTS || qp.state == QPS_SQD;
    }

    @Override
    public void drain(boolean tell) {
        tellDrained = tell;
    }

    @Override
    public boolean draining() {
        return qp.sq.taken < qp.sq.posted() && qp.sq.at(qp.sq.taken).numbered;
    }

    private void timeout() {
        deadline = 0;
        if (isInFlight() && mayRetry()) {
            window.timedOut(lastSent());
            rewindToOldest();
        }
    }

    private boolean isInFlight() {
        return next != qp.sq.taken || index != 0;
    }

    /** Counts a retry. After the last one it migrates to an armed alternate path, or else fails. */
    private boolean mayRetry() {
        if (++retries <= qp.attr.retryCnt()) {
            return true;
        }
        if (!qp.migration.migrate()) {
            fail(WC_RETRY_EXC_ERR);
        }
        return false;
    }

    @Override
    public void migrated() {
        retries = 0;
        rnrRetries = 0;
        rnrUntil = 0;
        impliedNak = false;
        window.reset(qp.device.packetsInFlight(qp));
        if (isInFlight()) {
            rewindToOldest();
        }
    }

    private int lastSent() {
        QueuedRequest current = qp.sq.at(next);
        boolean begun = next < qp.sq.posted() && current.numbered;
        return Psn.add(begun ? Psn.add(current.firstPsn, index) : nextPsn, -1);
    }

    /**
     * Sends one packet.
     *
     * @return the number of packets that it stands for; 0 if there is none, or it has to wait
     */
    private int sendNext(long now) {
        if (next >= qp.sq.posted()) {
            return 0;
        }
        QueuedRequest request = qp.sq.at(next);
        if (qp.state == QPS_SQD && !request.numbered) {
            return 0;
        }
        if (request.isLocal()) {
            return executeLocally(request) ? 1 : 0;
        }
        if (index == 0 && !begin(request)) {
            return 0;
        }
        int outstanding = Psn.diff(Psn.add(request.firstPsn, index), oldestPsn());
        int room = qp.overLink() ? window.packets(request.length) - outstanding : Integer.MAX_VALUE;
        room = Math.min(room, qp.pacer.packets(qp.mtu));
        if (room <= 0 || qp.overLink() && !qp.device.hasRoom(qp)) {
            return 0;
        }
        if (request.opcode == WR_RDMA_READ) {
            return requestRead(request, now) ? 1 : 0;
        }
        int count = Math.min(request.packets - index, room);
        if (count > 1) {
            count = Math.min(count, qp.device.packetsAtOnce(qp));
        }
        Access built = segmenter.build(packet, request, index, count, Psn.add(request.firstPsn, index));
        if (built == Access.REFUSED) {
            failLocally(WC_LOC_PROT_ERR);
        }
        if (built != Access.DONE) {
            return 0;
        }
        int end = index + count;
        packet.ackRequest = end == request.packets || end / ACK_EVERY != index / ACK_EVERY || count == room;
        startTimer(now);
        advance(request, count);
        transmit();
        return count;
    }

    private void transmit() {
        qp.pacer.sent(packet.payload, packet.packets());
        qp.device.transmit(qp, packet);
    }

    /** Fails the next request to send when all earlier ones have ended: requests end in order. */
    private void failLocally(int status) {
        if (qp.sq.taken == next) {
            fail(status);
        }
    }

    /** Executes a binding or invalidation at once when all earlier requests have ended; until then it waits. */
    private boolean executeLocally(QueuedRequest request) {
        if (qp.sq.taken != next) {
            return false;
        }
        Bind bind = request.bind;
        boolean done = request.opcode == WR_BIND_MW
                ? bind != null && qp.device.keys().bind(qp, bind)
                : qp.device.keys().invalidate(qp, request.invalidate);
        if (done) {
            succeed(request);
        } else {
            fail(WC_MW_BIND_ERR);
        }
        return done;
    }

    /** Begins a request if its first packet may be sent and its local memory is valid. Assigns its PSNs. */
    private boolean begin(QueuedRequest request) {
        boolean fresh = !request.numbered;
        if (fresh && (request.fence || request.answered())) {
            int answers = answersOutstanding();
            if (request.fence && answers > 0 || request.answered() && answers >= qp.attr.maxRdAtomic()) {
                return false;
            }
        }
        if (!segmenter.localMemory(request)) {
            failLocally(WC_LOC_PROT_ERR);
            return false;
        }
        if (fresh) {
            request.numbered = true;
            request.firstPsn = nextPsn;
            request.done = 0;
            request.acked = 0;
            request.asked = 0;
            request.packets = request.isAtomic() ? 1 : segmenter.packets(request);
            nextPsn = Psn.add(nextPsn, request.packets);
        }
        return true;
    }

    private int answersOutstanding() {
        int answers = 0;
        for (long i = qp.sq.taken; i < next; i++) {
            if (qp.sq.at(i).answered()) {
                answers++;
            }
        }
        return answers;
    }

    private int oldestPsn() {
        QueuedRequest oldest = qp.sq.at(qp.sq.taken);
        return oldest.numbered ? Psn.add(oldest.firstPsn, oldest.acked) : nextPsn;
    }

    /** Requests the next part of a read: over a link, as much as a socket buffer holds; otherwise all of it. */
    private boolean requestRead(QueuedRequest request, long now) {
        if (index > request.done) {
            return false; // a part is in flight
        }
        int part = request.packets - request.done;
        if (qp.overLink()) {
            part = Math.min(part, window.answers());
        }
        index = request.done;
        if (index < request.asked) { // repeats only what was requested: a repeat must lie within the first request
            part = request.asked - index;
        }
        request.asked = index + part;
        segmenter.buildRead(packet, request, index, part);
        startTimer(now);
        advance(request, part);
        transmit();
        return true;
    }

    private void advance(QueuedRequest request, int packets) {
        index += packets;
        if (index >= request.packets) {
            next++;
            index = 0;
        }
    }

    private void startTimer(long now) {
        int timeout = qp.attr.timeout();
        if (deadline == 0 && timeout != 0) {
            deadline = now + (TIMER_UNIT_NANOS << timeout) | 1; // never 0, which means none
        }
    }

    @Override
    public boolean isNear(Packet p) {
        return !outside(p.psn);
    }

    @Override
    public void response(Packet p, long now) {
        if (!active() || outside(p.psn)) {
            return;
        }
        if (p.opcode != Opcode.ACKNOWLEDGE) {
            answer(p, now);
        } else if (Aeth.isAck(p.syndrome)) {
            acknowledge(p.psn, now);
        } else {
            acknowledge(Psn.add(p.psn, -1), now);
            if (active()) {
                refused(p, now);
            }
        }
        qp.device.runnable(qp); // there may be room now
    }

    /** Returns whether a PSN lies outside the range from one before the oldest request to the newest assigned. */
    private boolean outside(int psn) {
        return qp.sq.taken == qp.sq.posted()
                || !qp.sq.at(qp.sq.taken).numbered
                || Psn.diff(psn, Psn.add(qp.sq.at(qp.sq.taken).firstPsn, -1)) < 0
                || Psn.diff(psn, nextPsn) >= 0;
    }

    private void refused(Packet p, long now) {
        switch (p.syndrome) {
            case Aeth.NAK_SEQUENCE -> {
                qp.device.counters().count(Counter.RCVD_SEQ_ERR);
                if (mayRetry()) {
                    window.lost(lastSent());
                    rewindToOldest();
                }
            }
            case Aeth.NAK_INVALID_REQUEST -> fail(qp.device.personality().refusal(WC_REM_INV_REQ_ERR));
            case Aeth.NAK_REMOTE_ACCESS -> fail(qp.device.personality().refusal(WC_REM_ACCESS_ERR));
            case Aeth.NAK_REMOTE_OPERATION -> fail(qp.device.personality().refusal(WC_REM_OP_ERR));
            default -> {
                if (Aeth.isRnr(p.syndrome)) {
                    notReady(p, now);
                }
            }
        }
    }

    private void notReady(Packet p, long now) {
        qp.device.counters().count(Counter.RCVD_RNR_ERR);
        int limit = qp.attr.rnrRetry();
        if (limit != INFINITE_RNR && ++rnrRetries > limit) {
            fail(WC_RNR_RETRY_EXC_ERR);
        } else {
            rewindToOldest();
            deadline = 0;
            rnrUntil = now + Aeth.rnrNanos(p.syndrome) | 1;
        }
    }

    /** Acknowledges all packets up to a PSN. */
    private void acknowledge(int psn, long now) {
        while (qp.sq.taken < qp.sq.posted()) {
            QueuedRequest oldest = qp.sq.at(qp.sq.taken);
            if (!oldest.numbered) {
                return;
            }
            int acked = Psn.diff(psn, oldest.firstPsn) + 1;
            if (oldest.answered()) {
                if (acked > 0 && !impliedNak && (qp.sq.taken < next)) {
                    answerLost();
                }
                return;
            }
            if (acked <= oldest.acked) {
                return;
            }
            progress(now, oldest, Math.min(acked, oldest.packets));
            if (acked < oldest.packets) {
                return;
            }
            succeed(oldest);
        }
    }

    private void answer(Packet p, long now) {
        acknowledgeBefore(p.psn, now);
        QueuedRequest oldest = qp.sq.at(qp.sq.taken);
        if (qp.sq.taken == qp.sq.posted() || !oldest.numbered || !oldest.answered()) {
            return;
        }
        int at = Psn.diff(p.psn, oldest.firstPsn);
        if (at < oldest.done && at + p.packets() > oldest.done) { // of a joined packet only the first ones are old
            p.skip(oldest.done - at);
            at = oldest.done;
        }
        if (at < oldest.done) {
            return; // a duplicate
        }
        if (at > oldest.done) {
            if (!impliedNak) {
                answerLost();
            }
            return;
        }
        boolean atomic = p.opcode == Opcode.ATOMIC_ACKNOWLEDGE;
        int count = p.packets();
        long offset = (long) at * qp.mtu;
        long expected = oldest.opcode == WR_RDMA_READ ? Math.min((long) count * qp.mtu, oldest.length - offset) : 0;
        if (atomic != oldest.isAtomic() || p.mtu != 0 && p.mtu != qp.mtu || p.payload != expected) {
            fail(WC_BAD_RESP_ERR);
            return;
        }
        MemoryKeys keys = qp.device.keys();
        Access stored =
                atomic ? keys.scatterOriginal(qp.pd, oldest, p.original) : keys.scatter(qp.pd, oldest, offset, p);
        if (stored == Access.PAGE_FAULT) { // as an adapter, it drops the answer and requests it again
            impliedNak = true;
            rewindToOldest();
            return;
        } else if (stored == Access.REFUSED) {
            fail(WC_LOC_PROT_ERR);
            return;
        }
        oldest.done += count;
        progress(now, oldest, oldest.done);
        if (oldest.done == oldest.packets) {
            succeed(oldest);
        }
    }

    /** Requests a response again, once, after a later packet has shown that it was lost (implied NAK). */
    private void answerLost() {
        impliedNak = true;
        window.lost(lastSent());
        rewindToOldest();
    }

    /** Ends the requests before the one that a response answers: it shows that all of them have arrived. */
    private void acknowledgeBefore(int psn, long now) {
        while (qp.sq.taken < next) {
            QueuedRequest oldest = qp.sq.at(qp.sq.taken);
            if (oldest.answered() || Psn.diff(psn, Psn.add(oldest.firstPsn, oldest.packets)) < 0) {
                return;
            }
            progress(now, oldest, oldest.packets);
            succeed(oldest);
        }
    }

    private void progress(long now, QueuedRequest oldest, int acked) {
        window.arrived(acked - oldest.acked, Psn.add(oldest.firstPsn, acked - 1));
        oldest.acked = acked;
        retries = 0;
        rnrRetries = 0;
        impliedNak = false;
        deadline = 0;
        if (qp.sq.taken < next || index > acked) { // packets are in flight
            startTimer(now);
        }
    }

    private void succeed(QueuedRequest request) {
        if (next == qp.sq.taken) { // it ended although a rewind had scheduled it again
            next++;
            index = 0;
        }
        qp.sq.taken++;
        if (qp.sq.taken == next && index == 0) {
            deadline = 0;
        }
        segmenter.succeed(request);
    }

    private void rewindToOldest() {
        qp.device.counters().count(Counter.COMPLETER_RETRY_ERR);
        next = qp.sq.taken;
        if (next < qp.sq.posted()) {
            QueuedRequest oldest = qp.sq.at(next);
            index = oldest.numbered ? oldest.acked : 0;
        } else {
            index = 0;
        }
        deadline = 0;
        qp.device.runnable(qp);
    }

    /** Fails the oldest request and flushes all later ones. */
    private void fail(int status) {
        if (status == WC_RETRY_EXC_ERR) {
            qp.device.counters().count(Counter.RETRY_EXCEEDED_ERR);
        } else if (status == WC_RNR_RETRY_EXC_ERR) {
            qp.device.counters().count(Counter.RETRY_RNR_EXCEEDED_ERR);
        }
        QueuedRequest oldest = qp.sq.at(qp.sq.taken++);
        qp.complete(qp.sendCq, false, qp.sq.taken, oldest.wrId, status, 0, 0, oldest, false);
        qp.error();
    }
}
