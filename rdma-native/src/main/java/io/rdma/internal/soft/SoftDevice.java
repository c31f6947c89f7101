package io.rdma.internal.soft;

import io.rdma.internal.ffi.Ibv;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - All protocol state (queue pairs, keys, the link) belongs to who has the turn: the device's thread, a thread in
// call(), or one that posted and found it free. "Device thread" elsewhere in this package means whoever has the turn.
// - Only run() of a queue pair sends; incoming packets change state and make the queue pair runnable. So delivery
// inside the device nests one level.
// - Every access to memory goes through the keys, which check.

/** The running part of an open software device: its thread, its queue pairs, its keys, its link. */
final class SoftDevice {
    private static final int MOST_VIOLATIONS = 0xffff;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final IntTable<SoftQp> qps = new IntTable<>();
    private final IntTable<SoftSrq> xrcQueues = new IntTable<>();
    final MemoryKeys keys = new MemoryKeys();
    final HandleTable handles;
    private final List<SoftQp> all = new ArrayList<>();
    final Counters counters = new Counters();
    private final UdpLink link;
    private final Datagrams datagrams;
    private final ManagementPort management;
    private final int mtu;
    private final @Nullable StrictTiming timing = StrictTiming.configured();
    private final DeviceTurns turns;

    SoftDevice(SoftConfig config, HandleTable handles, ManagementPort.Receiver manager) {
        this.handles = handles;
        int threads = ReceiveLane.threads(System.getProperty(ReceiveLane.PROPERTY, "1"));
        link = new UdpLink(config, counters);
        datagrams = new Datagrams(this, link);
        management = new ManagementPort(this, link, manager);
        mtu = Packet.mtuBytes(config.activeMtu());
        try {
            turns = new DeviceTurns(link, all, this::arrived, timing, threads);
        } catch (VerbsException e) {
            link.close();
            throw e;
        }
        turns.start();
    }

    InetSocketAddress local() {
        return link.local();
    }

    /** Bytes of the port's MTU. */
    int mtu() {
        return mtu;
    }

    /** What is left to chance; null: nothing is. */
    @Nullable
    StrictTiming timing() {
        return timing;
    }

    /** Device thread. */
    Datagrams datagrams() {
        return datagrams;
    }

    /** Queue pair 1. Device thread. */
    ManagementPort management() {
        return management;
    }

    /** An XRC shared receive queue by its number. Device thread. */
    @Nullable
    SoftSrq sharedQueue(int srqn) {
        return xrcQueues.get(srqn);
    }

    void add(SoftSrq srq) {
        xrcQueues.put(srq.number, srq);
    }

    void remove(SoftSrq srq) {
        xrcQueues.remove(srq.number);
        all.forEach(qp -> qp.forget(srq));
    }

    int freshSrqn() {
        int number;
        do {
            number = RANDOM.nextInt(1 << 24);
        } while (number == 0 || xrcQueues.get(number) != null);
        return number;
    }

    /** Device thread. */
    @Nullable
    SoftQp find(int qpn) {
        return qps.get(qpn);
    }

    /** {@code qkey_viol_cntr} of the port, which stays at its largest value. */
    int qkeyViolations() {
        return call(() -> (int) Math.min(MOST_VIOLATIONS, counters.get(Counter.QKEY_ERR)));
    }

    /** What was counted so far, by name. */
    Map<String, Long> counted() {
        return call(() -> {
            counters.set(Counter.SEND_ERR, link.lost());
            return counters.snapshot();
        });
    }

    /** Runs something in a turn of its own. */
    <T> T call(Supplier<T> task) {
        return turns.call(task);
    }

    /** Writes all packets to a file from now on. @param file null: no longer */
    void captureTo(@Nullable CaptureFile file) {
        call(() -> {
            link.captureTo(file);
            return 0;
        });
    }

    /** How many packets of a queue pair may be on their way at most. */
    int packetsInFlight(SoftQp of) {
        InetSocketAddress peer = of.peer;
        return peer == null ? CongestionWindow.USUAL : link.packetsInFlight(peer);
    }

    /** Whether packets to this device itself go through its link, too. */
    boolean faulty() {
        return link.faulty();
    }

    /** Something was posted. Any thread. */
    void ring(SoftQp qp) {
        turns.ring(qp);
    }

    /** A completion queue was polled that is empty. Any thread. */
    void polled() {
        turns.polled();
    }

    /** Somebody who polled goes to sleep. Any thread. */
    void left() {
        turns.left();
    }

    void close() {
        turns.close();
    }

    /** Has a queue pair run soon. Device thread. */
    void runnable(SoftQp qp) {
        turns.runnable(qp);
    }

    void transmit(SoftQp from, Packet packet) {
        counters.count(Counter.SENT_PKTS);
        packet.transport = from.transport;
        InetSocketAddress peer = from.peer;
        if (peer == null && link.faulty()) {
            link.send(packet, link.local());
        } else if (peer == null) {
            link.capture(packet);
            deliver(packet, null, System.nanoTime());
        } else {
            link.send(packet, peer);
        }
    }

    private void arrived(Packet packet, Endpoint from, long now) {
        if (packet.transport == Opcode.UD && packet.destQpn == ManagementPort.QPN) {
            counters.count(Counter.RCVD_PKTS);
            management.deliver(packet, from);
        } else if (packet.transport == Opcode.UD) {
            datagrams.deliver(packet, from, link.endpoint());
        } else {
            deliver(packet, from, now);
        }
    }

    private void deliver(Packet packet, @Nullable Endpoint from, long now) {
        counters.count(Counter.RCVD_PKTS);
        SoftQp qp = qps.get(packet.destQpn);
        if (qp == null || qp.transport != packet.transport) {
            counters.count(Counter.UNKNOWN_QP_PKTS);
            return;
        }
        if (!connected(qp, from)) {
            counters.count(Counter.WRONG_PEER_PKTS);
            return;
        }
        if (Opcode.isResponse(packet.opcode)) {
            qp.requester.response(packet, now);
        } else {
            qp.responder.request(packet);
        }
    }

    private boolean connected(SoftQp qp, @Nullable Endpoint from) {
        InetSocketAddress peer = qp.peer;
        if (peer == null) {
            return from == null || link.cameFromHere(from);
        }
        return from != null && link.cameFrom(from, peer);
    }

    /** Process address of memory that a local key names, or 0 when key, domain, range or rights do not fit. */
    long translate(SoftPd pd, int key, long address, long bytes, int access) {
        return keys.local(pd, key, address, bytes, access);
    }

    /** Copies the payload into the memory of a request from {@code offset} on. @return false if that memory may not be written */
    boolean scatter(SoftPd pd, WorkRequest into, long offset, Packet packet) {
        long skip = offset;
        int copied = 0;
        for (int i = 0; i < into.numSge && copied < packet.payload; i++) {
            int size = into.bytes[i];
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = (int) Math.min(size - skip, packet.payload - copied);
            long to = translate(pd, into.lkey[i], into.address[i] + skip, part, Ibv.ACCESS_LOCAL_WRITE);
            if (to == 0) {
                return false;
            }
            packet.copyOut(copied, to, part);
            copied += part;
            skip = 0;
        }
        return copied == packet.payload;
    }

    void add(SoftQp qp) {
        qps.put(qp.qpn, qp);
        all.add(qp);
    }

    void remove(SoftQp qp) {
        qps.remove(qp.qpn);
        all.remove(qp);
        turns.forget(qp);
        qp.queued = true; // a doorbell still on its way must not run it
        qp.sendCq.purge(qp);
        qp.recvCq.purge(qp);
        qp.forgetArriving();
        keys.forget(qp);
    }

    int freshQpn() {
        int qpn;
        do {
            qpn = RANDOM.nextInt(1 << 24);
        } while (qpn < 2 || qps.get(qpn) != null); // 0 and 1 are for management
        return qpn;
    }

    /** All queue pairs of an overrun completion queue are lost, {@code IBV_EVENT_CQ_ERR}, and cannot complete anything there. */
    void overrun(SoftCq cq) {
        cq.tellOverrun();
        for (SoftQp qp : all) {
            if ((qp.sendCq == cq || qp.recvCq == cq) && qp.state != Ibv.QPS_ERR) {
                qp.state = Ibv.QPS_ERR;
                qp.tell(Ibv.EVENT_QP_FATAL);
                runnable(qp);
            }
        }
    }

    static VerbsException busy(String call) {
        return new VerbsException(
                call, Errno.EBUSY, "Something that was made from this object is still open: close that first");
    }
}
