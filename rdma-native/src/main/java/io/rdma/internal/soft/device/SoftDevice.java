package io.rdma.internal.soft.device;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.PortAttr;
import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.soft.link.CaptureFile;
import io.rdma.internal.soft.link.ReceiveLane;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.objects.Device;
import io.rdma.internal.soft.objects.HandleTable;
import io.rdma.internal.soft.objects.IntTable;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.objects.SoftAh;
import io.rdma.internal.soft.objects.SoftContext;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.objects.StrictTiming;
import io.rdma.internal.soft.objects.TransportFactory;
import io.rdma.internal.soft.transport.Transports;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Invariants
// - All protocol state (queue pairs, keys, the link) belongs to the thread that holds the turn: the device's thread, a
// thread in call(), or a thread that posted or polled and found the turn free. "Device thread" elsewhere in this
// package means the thread that holds the turn.
// - A queue pair sends only in its run(). Incoming packets change its state and make it runnable. So delivery inside
// the device nests one level, and reliable queue pairs all build their packets in `outgoing`.
// - Every access to memory goes through the keys, which check it.

/** The running part of an open software device: its thread, queue pairs, keys and link. */
public final class SoftDevice implements Device, DeviceTurns.Owner {
    private static final int MOST_VIOLATIONS = 0xffff;

    private final IntTable<SoftQp> qps = new IntTable<>();
    private final IntTable<SoftSrq> xrcQueues = new IntTable<>();
    private final Environment environment;
    private final Personality personality;
    private final MemoryKeys keys;
    private final HandleTable handles;
    private final List<SoftQp> all = new ArrayList<>();
    private final Packet outgoing = new Packet();
    private final List<SoftContext> contexts = new CopyOnWriteArrayList<>();
    private final Counters counters = new Counters();
    private final UdpLink link;
    private final @Nullable SecondLink second;
    private final Datagrams datagrams;
    private final ManagementPort management;
    private final int mtu;
    private final @Nullable StrictTiming timing = StrictTiming.configured();
    private final DeviceTurns turns;
    private final LimitedLog log = new LimitedLog(SoftDevice.class);

    public SoftDevice(SoftConfig config, HandleTable handles, ManagementPort.Receiver manager) {
        this.handles = handles;
        personality = config.personality();
        environment = config.environment();
        keys = new MemoryKeys(environment.random(), counters, personality);
        int threads = ReceiveLane.threads(System.getProperty(ReceiveLane.PROPERTY, "1"));
        link = new UdpLink(config, counters);
        second = secondLink(config);
        datagrams = new Datagrams(this, link, config.sockets());
        management = new ManagementPort(this, link, manager);
        mtu = Packet.mtuBytes(config.activeMtu());
        try {
            turns = new DeviceTurns(environment, link, all, this, timing, threads);
        } catch (VerbsException e) {
            if (second != null) {
                second.close(); // its thread does not run
            }
            link.close();
            throw e;
        }
        turns.start();
        if (second != null) {
            second.start();
        }
    }

    private @Nullable SecondLink secondLink(SoftConfig config) {
        SoftConfig there = config.second();
        try {
            return there == null ? null : new SecondLink(this, there, counters);
        } catch (VerbsException e) {
            link.close();
            throw new VerbsException(
                    "bind(" + there.address() + ")",
                    e.errno(),
                    "The software device cannot listen at its second address. " + SoftConfig.SECOND_REMEDY);
        }
    }

    @Override
    public InetSocketAddress local() {
        return link.local();
    }

    @Override
    public int gids() {
        return second == null ? 1 : 2;
    }

    /** Returns the address of a GID, by its index below {@link #gids}. */
    public InetSocketAddress local(int gidIndex) {
        return second == null || gidIndex == 0 ? link.local() : second.link().local();
    }

    @Override
    public Personality personality() {
        return personality;
    }

    @Override
    public Environment environment() {
        return environment;
    }

    @Override
    public HandleTable handles() {
        return handles;
    }

    @Override
    public MemoryKeys keys() {
        return keys;
    }

    @Override
    public TransportFactory transports() {
        return Transports.ALL;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    /** Returns the random timing, or null if it is off. */
    @Nullable
    public StrictTiming timing() {
        return timing;
    }

    /** Returns the datagram side of the device. Device thread. */
    public Datagrams datagrams() {
        return datagrams;
    }

    /** Returns queue pair 1. Device thread. */
    public ManagementPort management() {
        return management;
    }

    @Override
    public @Nullable SoftSrq sharedQueue(int srqn) {
        return xrcQueues.get(srqn);
    }

    public void add(SoftSrq srq) {
        xrcQueues.put(srq.number, srq);
    }

    public void remove(SoftSrq srq) {
        xrcQueues.remove(srq.number);
        all.forEach(qp -> qp.forget(srq));
    }

    public int freshSrqn() {
        int number;
        do {
            number = environment.random().nextInt(1 << 24);
        } while (number == 0 || xrcQueues.get(number) != null);
        return number;
    }

    /** Finds a queue pair by its number. Device thread. */
    @Nullable
    public SoftQp find(int qpn) {
        return qps.get(qpn);
    }

    /** Returns the attributes of the port. Its {@code qkey_viol_cntr} saturates at its largest value. */
    public PortAttr port(int activeMtu) {
        return call(() -> SoftLimits.port(
                link.isUp(), activeMtu, gids(), (int) Math.min(MOST_VIOLATIONS, counters.get(Counter.QKEY_ERR))));
    }

    /** Injects a failure. */
    public void fail(SoftFailure failure) {
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
                case PAGES -> keys.paging().evict();
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
            if (second != null) {
                second.link().setUp(up);
            }
            tell(up ? Ibv.EVENT_PORT_ACTIVE : Ibv.EVENT_PORT_ERR);
        }
    }

    /** Reports an asynchronous event of the port to all contexts. */
    private void tell(int eventType) {
        contexts.forEach(context -> context.tell(eventType, personality.port()));
    }

    /** Injects the failure of a queue pair. */
    public void failQueuePair(int number) {
        call(() -> {
            SoftQp qp = qps.get(number);
            if (qp == null) {
                throw new VerbsException("IBV_EVENT_QP_FATAL", Errno.EINVAL, "There is no queue pair " + number);
            }
            qp.lose();
            return 0;
        });
    }

    /** Returns all counters by name. */
    public Map<String, Long> counted() {
        return call(() -> {
            counters.set(
                    Counter.SEND_ERR,
                    link.lost() + (second == null ? 0 : second.link().lost()));
            counters.set(Counter.RING_PKTS, link.ringPackets());
            return counters.snapshot();
        });
    }

    @Override
    public <T> T call(Supplier<T> task) {
        return turns.call(task);
    }

    /**
     * Writes all packets to a file from now on.
     *
     * @param file null to stop
     */
    public void captureTo(@Nullable CaptureFile file) {
        call(() -> {
            if (second != null) {
                second.link().captureInto(file); // first, as the other link closes the last file
            }
            link.captureTo(file);
            return 0;
        });
    }

    @Override
    public int packetsInFlight(SoftQp of) {
        InetSocketAddress peer = of.peer;
        return peer == null ? UdpLink.FEWEST_IN_FLIGHT : link.packetsInFlight(peer);
    }

    @Override
    public int packetsAtOnce(SoftQp of) {
        InetSocketAddress peer = of.peer;
        boolean joins = peer == null ? !link.faulty() : of.via == 0 && link.joins(peer);
        return joins ? Packet.LONGEST_JOINED / of.mtu : 1;
    }

    @Override
    public boolean hasRoom(SoftQp of) {
        InetSocketAddress peer = of.peer;
        if (peer == null || of.via != 0 || link.hasRoom(peer)) {
            return true;
        }
        turns.awaitRoom(of);
        return false;
    }

    @Override
    public void connecting(InetSocketAddress peer) {
        link.connecting(peer);
    }

    @Override
    public boolean hasHeaders() {
        return link.hasHeaders();
    }

    @Override
    public boolean faulty() {
        return link.faulty();
    }

    @Override
    public void ring(SoftQp qp) {
        turns.ring(qp);
    }

    @Override
    public void polled() {
        turns.polled();
    }

    @Override
    public void left() {
        turns.left();
    }

    @Override
    public void flush() {
        link.flushAll();
        if (second != null) {
            second.link().flush();
        }
    }

    public void close() {
        if (second != null) {
            second.endThread();
        }
        turns.close(second == null ? () -> {} : second::close);
    }

    @Override
    public void runnable(SoftQp qp) {
        turns.runnable(qp);
    }

    @Override
    public Packet outgoing() {
        return outgoing;
    }

    @Override
    public void transmit(SoftQp from, Packet packet) {
        counters.count(Counter.SENT_PKTS);
        packet.transport = from.transport;
        packet.migrated = from.migration.isMigrated();
        InetSocketAddress peer = from.peer;
        if (from.via != 0 && second != null) {
            second.send(from, packet);
        } else if (peer == null && link.faulty() && packet.mtu == 0) {
            link.send(packet, link.local(), from.path);
        } else if (peer == null) {
            link.capture(packet, from.path);
            deliverConnected(packet, null, 0, environment.nanoTime());
        } else {
            link.sendConnected(packet, peer, from.path);
        }
    }

    @Override
    public void transmit(Packet datagram, SoftAh path) {
        datagrams.send(datagram, path);
    }

    @Override
    public Packet route() {
        return datagrams.route();
    }

    @Override
    public void deliver(Packet packet, UdpAddress from, long now) {
        if (packet.transport == Opcode.UD && packet.destQpn == ManagementPort.QPN) {
            counters.count(Counter.RCVD_PKTS);
            management.deliver(packet, from);
        } else if (packet.transport == Opcode.UD) {
            datagrams.deliver(packet, from, link.endpoint());
        } else {
            deliverConnected(packet, from, 0, now);
        }
    }

    /**
     * Delivers a packet to a connected queue pair. Device thread.
     *
     * @param via index of the GID at which it arrived
     */
    void deliverConnected(Packet packet, @Nullable UdpAddress from, int via, long now) {
        counters.count(Counter.RCVD_PKTS);
        SoftQp qp = qps.get(packet.destQpn);
        if (qp == null || qp.transport != packet.transport) {
            counters.count(Counter.UNKNOWN_QP_PKTS);
            return;
        }
        try {
            if (qp.via == via && connected(qp, from)) {
                qp.migration.arrived(packet);
            } else if (!qp.migration.follows(packet, from, via)) {
                counters.count(Counter.WRONG_PEER_PKTS);
                return;
            }
            if (Opcode.isResponse(packet.opcode)) {
                qp.requester.response(packet, now);
            } else {
                qp.responder.request(packet);
            }
        } catch (Throwable e) { // no call here: the stack may have no room for one
            qp.broken = e;
            turns.anyBroken = true;
        }
    }

    /** Hands a request packet to a queue pair. If that throws, marks the queue pair as broken. Device thread. */
    void request(SoftQp qp, Packet packet) {
        try {
            qp.responder.request(packet);
        } catch (Throwable e) { // no call here: the stack may have no room for one
            qp.broken = e;
            turns.anyBroken = true;
        }
    }

    /**
     * Ends the queue pairs whose run or delivery threw. An Error may have left shared state half changed, so it ends
     * all queue pairs. A stack overflow shows only that the thread's stack was full, so it ends one queue pair; so does
     * an InternalError, which shows that a file under mapped memory has no block for the page: it is too short, or its
     * disk is full.
     */
    @Override
    public void endBroken() {
        for (int i = 0; i < all.size(); i++) {
            SoftQp qp = all.get(i);
            Throwable cause = qp.broken;
            if (cause == null) {
                continue;
            }
            qp.broken = null;
            boolean its = cause instanceof StackOverflowError || cause instanceof InternalError;
            if (cause instanceof Error && !its) {
                broken(cause);
            } else {
                log.log(
                        System.Logger.Level.ERROR,
                        "queue pair " + qp.qpn + " threw an exception and ends: IBV_EVENT_QP_FATAL",
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
                "the software device threw an exception and all its queue pairs end: IBV_EVENT_DEVICE_FATAL",
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

    /** Adds a context, which receives the events of the device and its port. */
    public void add(SoftContext context) {
        contexts.add(context);
    }

    public void remove(SoftContext context) {
        contexts.remove(context);
    }

    private boolean connected(SoftQp qp, @Nullable UdpAddress from) {
        InetSocketAddress peer = qp.peer;
        if (peer == null) {
            return from == null || link.cameFromHere(from);
        }
        return from != null && link.cameFrom(from, peer);
    }

    public void add(SoftQp qp) {
        qps.put(qp.qpn, qp);
        qp.index = all.size();
        all.add(qp);
    }

    public void remove(SoftQp qp) {
        qps.remove(qp.qpn);
        SoftQp last = all.removeLast(); // takes its place: a search would be long where there are many
        if (last != qp) {
            all.set(qp.index, last);
            last.index = qp.index;
        }
        turns.forget(qp);
        qp.queued = true; // a doorbell that is still queued must not run it
        qp.sendCq.purge(qp);
        qp.recvCq.purge(qp);
        qp.forgetArriving();
        keys.forget(qp);
        qp.manager.ended();
    }

    public int freshQpn() {
        int qpn;
        do {
            qpn = environment.random().nextInt(1 << 24);
        } while (qpn < 2 || qps.get(qpn) != null); // 0 and 1 are for management
        return qpn;
    }

    @Override
    public void overrun(SoftCq cq) {
        cq.tellOverrun();
        for (SoftQp qp : all) {
            if (qp.sendCq == cq || qp.recvCq == cq) {
                qp.lose();
            }
        }
    }

    public static VerbsException busy(String call) {
        return new VerbsException(
                call, Errno.EBUSY, "An object that was made from this one is still open: close that first");
    }
}
