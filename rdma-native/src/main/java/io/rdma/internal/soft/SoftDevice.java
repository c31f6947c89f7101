package io.rdma.internal.soft;

import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.PortAttr;
import io.rdma.internal.log.LimitedLog;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - All protocol state (queue pairs, keys, the link) belongs to who has the turn: the device's thread, a thread in
// call(), or one that posted and found it free. "Device thread" elsewhere in this package means whoever has the turn.
// - Only run() of a queue pair sends; incoming packets change state and make the queue pair runnable. So delivery
// inside the device nests one level.
// - Every access to memory goes through the keys, which check.

/** The running part of an open software device: its thread, its queue pairs, its keys, its link. */
final class SoftDevice implements DeviceTurns.Owner {
    private static final int MOST_VIOLATIONS = 0xffff;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final IntTable<SoftQp> qps = new IntTable<>();
    private final IntTable<SoftSrq> xrcQueues = new IntTable<>();
    final MemoryKeys keys = new MemoryKeys();
    final HandleTable handles;
    private final List<SoftQp> all = new ArrayList<>();
    private final List<SoftContext> contexts = new CopyOnWriteArrayList<>();
    final Counters counters = new Counters();
    private final UdpLink link;
    private final Datagrams datagrams;
    private final ManagementPort management;
    private final int mtu;
    private final @Nullable StrictTiming timing = StrictTiming.configured();
    private final DeviceTurns turns;
    private final LimitedLog log = new LimitedLog(SoftDevice.class);

    SoftDevice(SoftConfig config, HandleTable handles, ManagementPort.Receiver manager) {
        this.handles = handles;
        int threads = ReceiveLane.threads(System.getProperty(ReceiveLane.PROPERTY, "1"));
        link = new UdpLink(config, counters);
        datagrams = new Datagrams(this, link);
        management = new ManagementPort(this, link, manager);
        mtu = Packet.mtuBytes(config.activeMtu());
        try {
            turns = new DeviceTurns(link, all, this, timing, threads);
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

    /** What the port is like; its {@code qkey_viol_cntr} stays at its largest value. */
    PortAttr port(int activeMtu) {
        return call(() -> SoftLimits.port(
                link.isUp(), activeMtu, (int) Math.min(MOST_VIOLATIONS, counters.get(Counter.QKEY_ERR))));
    }

    /** Breaks something. */
    void fail(SoftFailure failure) {
        call(() -> {
            switch (failure) {
                case COMPLETION_QUEUES ->
                    handles.all(SoftCq.class).forEach(cq -> {
                        cq.fail();
                        overrun(cq);
                    });
                case SHARED_RECEIVE_QUEUES -> handles.all(SoftSrq.class).forEach(this::fail);
                case DEVICE -> fatal();
                case PORT_DOWN -> setUp(false);
                case PORT_UP -> setUp(true);
                case GIDS -> tell(Ibv.EVENT_GID_CHANGE);
            }
            return 0;
        });
    }

    private void fail(SoftSrq queue) {
        queue.fail();
        all.stream().filter(qp -> qp.srq == queue).toList().forEach(SoftQp::lose);
    }

    private void setUp(boolean up) {
        if (link.isUp() != up) {
            link.setUp(up);
            tell(up ? Ibv.EVENT_PORT_ACTIVE : Ibv.EVENT_PORT_ERR);
        }
    }

    /** Tells of the port. */
    private void tell(int eventType) {
        contexts.forEach(context -> context.tell(eventType, 1));
    }

    /** Breaks a queue pair. */
    void failQueuePair(int number) {
        call(() -> {
            SoftQp qp = qps.get(number);
            if (qp == null) {
                throw new VerbsException("IBV_EVENT_QP_FATAL", Errno.EINVAL, "There is no queue pair " + number);
            }
            qp.lose();
            return 0;
        });
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
            deliverConnected(packet, null, System.nanoTime());
        } else {
            link.send(packet, peer);
        }
    }

    @Override
    public void deliver(Packet packet, Endpoint from, long now) {
        if (packet.transport == Opcode.UD && packet.destQpn == ManagementPort.QPN) {
            counters.count(Counter.RCVD_PKTS);
            management.deliver(packet, from);
        } else if (packet.transport == Opcode.UD) {
            datagrams.deliver(packet, from, link.endpoint());
        } else {
            deliverConnected(packet, from, now);
        }
    }

    private void deliverConnected(Packet packet, @Nullable Endpoint from, long now) {
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
            response(qp, packet, now);
        } else {
            request(qp, packet);
        }
    }

    private void response(SoftQp qp, Packet packet, long now) {
        try {
            qp.requester.response(packet, now);
        } catch (Throwable e) { // no call here: the stack may have no room for one
            qp.broken = e;
            turns.anyBroken = true;
        }
    }

    /** Hands a request to a queue pair, which alone pays for what that throws. Device thread. */
    void request(SoftQp qp, Packet packet) {
        try {
            qp.responder.request(packet);
        } catch (Throwable e) { // no call here: the stack may have no room for one
            qp.broken = e;
            turns.anyBroken = true;
        }
    }

    /** An Error may have left what all share half done; a stack that is full says of nothing but the thread that it is. */
    @Override
    public void endBroken() {
        for (int i = 0; i < all.size(); i++) {
            SoftQp qp = all.get(i);
            Throwable cause = qp.broken;
            if (cause == null) {
                continue;
            }
            qp.broken = null;
            if (cause instanceof Error && !(cause instanceof StackOverflowError)) {
                broken(cause);
            } else {
                log.log(
                        System.Logger.Level.ERROR,
                        "queue pair " + qp.qpn + " ends, as it threw: IBV_EVENT_QP_FATAL",
                        cause);
                qp.lose();
            }
        }
    }

    @Override
    public void broken(Throwable cause) {
        fatal();
        log.log(
                System.Logger.Level.ERROR,
                "all queue pairs end, as the software device threw: IBV_EVENT_DEVICE_FATAL",
                cause);
    }

    /** Ends all queue pairs: {@code IBV_EVENT_DEVICE_FATAL}. Device thread. */
    void fatal() {
        for (int i = 0; i < all.size(); i++) {
            SoftQp qp = all.get(i);
            qp.broken = null;
            qp.lose();
        }
        contexts.forEach(context -> context.tell(Ibv.EVENT_DEVICE_FATAL, 0));
    }

    /** A context that hears what concerns no object. */
    void add(SoftContext context) {
        contexts.add(context);
    }

    void remove(SoftContext context) {
        contexts.remove(context);
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
            if (qp.sendCq == cq || qp.recvCq == cq) {
                qp.lose();
            }
        }
    }

    static VerbsException busy(String call) {
        return new VerbsException(
                call, Errno.EBUSY, "Something that was made from this object is still open: close that first");
    }
}
