package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ibv.CmAddrInfo;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.CmIdEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.soft.cm.SoftCmId.State;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.HandleTable;
import io.rdma.internal.soft.objects.QpTransitions;
import io.rdma.internal.soft.objects.SoftObject;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

// Invariant: the order of locks is an identifier's monitor, this object's, the lent device's, the device's. No thread
// holds any of them during network waits.

/**
 * Implementation of {@link Rdmacm} by the software device. It holds the identifiers; {@link CmAgent} holds their
 * conversations with peers. See docs/internals/soft-cm.md.
 */
public final class SoftRdmacm implements Rdmacm {
    private static final int MOST_BACKLOG = 1024; // the default of Linux

    private final CmDevice verbs;
    private final CmAgent agent;
    private final CmPorts ports;
    private final HandleTable handles = new HandleTable();
    private final LentDevice device;

    public SoftRdmacm(CmDevice verbs) {
        this.verbs = verbs;
        device = new LentDevice(verbs);
        ports = new CmPorts(verbs.environment().random());
        agent = new CmAgent(this, verbs);
    }

    public CmAgent agent() {
        return agent;
    }

    /** Returns the identifiers and event channels that exist. */
    public List<SoftObject> objects() {
        return handles.all(SoftObject.class);
    }

    /** Returns the number of identifiers, event channels, ports and conversations that exist. For instruments. */
    public int inUse() {
        return objects().size() + ports.size() + agent.listenersAndExchanges();
    }

    /** Returns the addresses of the listeners. For instruments. */
    public List<InetSocketAddress> listening() {
        return handles.all(SoftCmId.class).stream()
                .filter(id -> id.state == State.LISTENING)
                .map(id -> Objects.requireNonNull(id.local))
                .toList();
    }

    private SoftCmId id(String call, long handle) {
        SoftCmId found = handles.find(handle, SoftCmId.class);
        if (found == null) {
            throw new VerbsException(call, Errno.EINVAL, "The identifier is destroyed");
        }
        return found;
    }

    private SoftCmChannel channel(String call, long handle) {
        SoftCmChannel found = handles.find(handle, SoftCmChannel.class);
        if (found == null) {
            throw new VerbsException(call, Errno.EINVAL, "The event channel is destroyed");
        }
        return found;
    }

    @Override
    public long createEventChannel() {
        return handles.add(new SoftCmChannel(verbs.environment()));
    }

    @Override
    public synchronized void destroyEventChannel(long channel) {
        SoftCmChannel object = channel("rdma_destroy_event_channel", channel);
        if (object.users > 0) {
            throw SoftDevice.busy("rdma_destroy_event_channel");
        }
        handles.remove(object);
    }

    @Override
    public boolean pollEventChannel(long channel, int timeoutMillis) {
        return channel("poll", channel).events.await(timeoutMillis);
    }

    @Override
    public void wakeEventChannel(long channel) {
        channel("eventfd", channel).events.wake();
    }

    @Override
    public @Nullable CmEventEntry getCmEvent(long channel) {
        CmEventEntry event = channel("rdma_get_cm_event", channel).events.poll();
        if (event != null && event.event() == CM_EVENT_CONNECT_REQUEST) {
            SoftCmId request = id("rdma_get_cm_event", event.id());
            synchronized (request) {
                request.taken();
            }
        }
        return event;
    }

    @Override
    public synchronized long createId(long channel, int portSpace) {
        SoftCmChannel on = channel("rdma_create_id", channel);
        if (portSpace != PS_TCP && portSpace != PS_UDP) {
            throw new VerbsException(
                    "rdma_create_id", Errno.EINVAL, "The software device supports the port spaces TCP and UDP only");
        }
        on.users++;
        return handles.add(new SoftCmId(portSpace, on, verbs.personality().port()));
    }

    /** Creates an identifier for an incoming request. */
    synchronized SoftCmId requested(SoftCmId listener, CmAddressing addressing) {
        SoftCmId made = new SoftCmId(
                listener.portSpace, listener.channel, verbs.personality().port());
        InetSocketAddress at = listener.local;
        made.channel.users++;
        made.listener = listener;
        made.local = new InetSocketAddress(addressing.destination(), at == null ? 0 : at.getPort());
        made.remote = addressing.source();
        made.state = State.TALKING;
        made.parameters.psn = agent.randomPsn();
        if (verbs.isIwarp()) {
            made.parameters.inherit(listener.parameters);
        }
        device.bind(made);
        handles.add(made);
        return made;
    }

    @Override
    public void destroyId(long handle) {
        SoftCmId id = id("rdma_destroy_id", handle);
        CmPort port;
        synchronized (id) {
            if (id.qp != 0) {
                throw SoftDevice.busy("rdma_destroy_id");
            }
            id.state = State.DESTROYED;
            id.taken();
            CmExchange exchange = id.exchange;
            if (exchange != null) {
                exchange.conversation.abandon(); // it sends its remaining messages without the identifier
            }
            port = id.port;
        }
        agent.unlisten(id); // before the port is free for another listener
        if (port != null) {
            port.close();
        }
        // Requests that the application has not taken end with the listener.
        for (CmEventEntry request : id.channel.events.remove(event -> event.listenId() == handle)) {
            destroyId(request.id());
        }
        synchronized (this) {
            id.channel.events.forget(event -> event.id() == handle);
            id.channel.users--;
            handles.remove(id);
            device.unbind(id);
        }
    }

    @Override
    public CmIdEntry queryId(long handle) {
        SoftCmId id = id("rdma_cm_id", handle);
        synchronized (id) {
            return new CmIdEntry(
                    id.onDevice ? device.context() : 0,
                    id.onDevice ? verbs.name() : "",
                    verbs.isIwarp() ? Ibv.TRANSPORT_IWARP : Ibv.TRANSPORT_IB,
                    id.onDevice ? device.pd() : 0,
                    id.onDevice ? verbs.personality().port() : 0,
                    id.local,
                    id.remote);
        }
    }

    @Override
    public void bindAddr(long handle, InetSocketAddress address) {
        SoftCmId id = id("rdma_bind_addr", handle);
        synchronized (id) {
            id.require("rdma_bind_addr", State.IDLE);
            InetAddress host = address.getAddress();
            if (verbs.onOwnAddress() && !host.isAnyLocalAddress() && !host.equals(verbs.configured())) {
                throw new VerbsException(
                        "rdma_bind_addr", Errno.EADDRNOTAVAIL, "The device's address is " + verbs.configured());
            }
            take(id, address, !verbs.onOwnAddress());
            id.state = State.BOUND;
            if (!host.isAnyLocalAddress()) {
                device.bind(id);
            }
        }
    }

    private void take(SoftCmId id, InetSocketAddress address, boolean shared) {
        CmPort taken = CmPort.take(verbs.environment().network(), ports, id.portSpace, address, shared);
        id.port = taken;
        id.local = taken.address;
    }

    @Override
    public void resolveAddr(
            long handle, @Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis) {
        SoftCmId id = id("rdma_resolve_addr", handle);
        synchronized (id) {
            id.require("rdma_resolve_addr", State.IDLE, State.BOUND);
            if (source != null && id.state == State.IDLE) {
                bindAddr(handle, source);
            }
            try {
                if (destination.getAddress().isMulticastAddress() && !id.isDatagram()) {
                    throw new IOException("a connection cannot be made to a multicast address");
                }
                InetAddress from = CmRoute.sourceFor(
                        verbs.environment().network(), destination, verbs.onOwnAddress() ? verbs.configured() : null);
                InetSocketAddress now = id.local;
                if (now == null) {
                    take(id, new InetSocketAddress(from, 0), false);
                } else if (now.getAddress().isAnyLocalAddress()) {
                    id.local = new InetSocketAddress(from, now.getPort());
                }
                id.remote = destination;
                device.bind(id);
                id.state = State.ADDRESS;
                id.tell(CM_EVENT_ADDR_RESOLVED, 0);
            } catch (IOException e) {
                id.tell(CM_EVENT_ADDR_ERROR, -Errno.EADDRNOTAVAIL);
            }
        }
    }

    @Override
    public void resolveRoute(long handle, int timeoutMillis) {
        SoftCmId id = id("rdma_resolve_route", handle);
        synchronized (id) {
            id.require("rdma_resolve_route", State.ADDRESS);
            id.state = State.ROUTE;
            id.tell(CM_EVENT_ROUTE_RESOLVED, 0);
        }
    }

    @Override
    public void listen(long handle, int backlog) {
        SoftCmId id = id("rdma_listen", handle);
        synchronized (id) {
            if (id.state == State.IDLE) {
                bindAddr(handle, new InetSocketAddress(0)); // as C does
            }
            id.require("rdma_listen", State.BOUND);
            device.bind(id); // for a wildcard address as well: requests arrive at the device
            if (id.port != null) {
                id.port.tell(
                        verbs.environment(), device.gid(), (gid, number) -> agent.ended(gid, number, id.isDatagram()));
            }
            id.listening(backlog > 0 ? Math.min(backlog, MOST_BACKLOG) : MOST_BACKLOG);
            agent.listen(id);
        }
    }

    @Override
    public void connect(long handle, ConnParam param) {
        SoftCmId id = id("rdma_connect", handle);
        synchronized (id) {
            id.require("rdma_connect", State.ROUTE);
            id.parameters.psn = agent.randomPsn();
            int room = id.isDatagram() ? SoftCmId.LOOKUP_DATA : SoftCmId.REQUEST_DATA;
            ConnParam said =
                    id.parameters.complete("rdma_connect", false, param, room, device.readsAndAtomics(), id.qp != 0);
            CmExchange exchange = agent.begin(id);
            id.exchange = exchange;
            id.state = State.TALKING;
            CmRoute route = new CmRoute(verbs.environment(), id, exchange, device.gid());
            InetSocketAddress to = Objects.requireNonNull(id.remote);
            if (id.isDatagram()) {
                CmLookup question = id.lookup(exchange.conversation.localId, said.privateData());
                route.find(to, verbs.onOwnAddress(), gid -> exchange.conversation.lookUp(question));
            } else {
                CmRequest request = id.request(
                        exchange.conversation.localId,
                        said,
                        agent.guid,
                        CmRequest.transport(isIwarp()),
                        device.gid(),
                        verbs.activeMtu(),
                        id.parameters.ackTimeoutOr(ackTimeout()));
                route.find(to, verbs.onOwnAddress(), gid -> exchange.conversation.request(request.to(gid)));
            }
        }
    }

    /** Returns the exponent of 4.096 µs · 2ⁿ: between hosts that of the kernel, within a host 67 ms. */
    private int ackTimeout() {
        return verbs.onOwnAddress() ? 17 : 14;
    }

    @Override
    public void accept(long handle, ConnParam param) {
        SoftCmId id = id("rdma_accept", handle);
        synchronized (id) {
            CmConversation talk =
                    id.talking("rdma_accept", CmConversation.State.REQ_RCVD, CmConversation.State.SIDR_REQ_RCVD);
            int room = id.isDatagram() ? CmLookupReply.PRIVATE_DATA : CmReply.PRIVATE_DATA;
            ConnParam said =
                    id.parameters.complete("rdma_accept", true, param, room, device.readsAndAtomics(), id.qp != 0);
            if (id.isDatagram()) {
                answer(id, talk, CmLookupReply.VALID, said.qpNum(), said.privateData());
                return;
            }
            CmReply reply = id.parameters.reply(talk, said, agent.guid);
            moveToReadyToSend(id, true);
            CmExchange exchange = Objects.requireNonNull(id.exchange);
            verbs.onUse(said.qpNum(), () -> agent.execute(exchange, CmConversation::used));
            talk.accept(reply);
        }
    }

    private static void answer(SoftCmId id, CmConversation talk, int status, int qpn, byte[] data) {
        talk.answer(new CmLookupReply(talk.remoteId(), status, qpn, id.servedAs(), UDP_QKEY, data));
    }

    @Override
    public void reject(long handle, byte[] privateData) {
        SoftCmId id = id("rdma_reject", handle);
        synchronized (id) {
            CmConversation talk =
                    id.talking("rdma_reject", CmConversation.State.REQ_RCVD, CmConversation.State.SIDR_REQ_RCVD);
            if (id.isDatagram()) {
                CmParameters.checkPrivateData("rdma_reject", privateData, CmLookupReply.PRIVATE_DATA);
                answer(id, talk, CmLookupReply.REJECT, 0, privateData);
            } else {
                CmParameters.checkPrivateData("rdma_reject", privateData, CmReject.PRIVATE_DATA);
                talk.reject(CmReject.CONSUMER, privateData);
            }
        }
    }

    @Override
    public void disconnect(long handle) {
        SoftCmId id = id("rdma_disconnect", handle);
        synchronized (id) {
            CmConversation talk = id.talking(
                    "rdma_disconnect",
                    CmConversation.State.REP_RCVD,
                    CmConversation.State.REP_SENT,
                    CmConversation.State.ESTABLISHED,
                    CmConversation.State.DREQ_SENT,
                    CmConversation.State.TIMEWAIT,
                    CmConversation.State.CLOSED);
            if (id.qp != 0) {
                verbs.modifyQp(id.qp, toError(), Ibv.QP_STATE);
            }
            talk.disconnect();
        }
    }

    static QpAttr toError() {
        QpAttr none = QpTransitions.INITIAL;
        return QpTransitions.merge(none, none, 0, Ibv.QPS_ERR);
    }

    @Override
    public void establish(long handle) {
        SoftCmId id = id("rdma_establish", handle);
        synchronized (id) {
            id.talking("rdma_establish", CmConversation.State.REP_RCVD).establish();
        }
    }

    @Override
    public CmQpAttr initQpAttr(long handle, int qpState) {
        SoftCmId id = id("rdma_init_qp_attr", handle);
        synchronized (id) {
            return id.parameters.attr(qpState);
        }
    }

    @Override
    public Qp createQp(long handle, long domain, QpInitAttr attr) {
        return createQp("rdma_create_qp", handle, domain, pd -> verbs.createQp(pd, attr));
    }

    @Override
    public Qp createQpEx(long handle, long domain, QpInitAttr attr, long sendOps) {
        return createQp(
                "rdma_create_qp_ex", handle, domain, pd -> verbs.extended().createQpEx(pd, attr, sendOps));
    }

    private Qp createQp(String call, long handle, long domain, LongFunction<Qp> creation) {
        SoftCmId id = id(call, handle);
        synchronized (id) {
            if (!id.onDevice || id.qp != 0) {
                throw new VerbsException(
                        call, Errno.EINVAL, "The identifier must be bound to a device and have no queue pair yet");
            }
            Qp made = creation.apply(domain == 0 ? device.pd() : domain);
            id.qp = made.handle();
            id.parameters.qpn = made.qpNum();
            try {
                move(id, Ibv.QPS_INIT);
                if (id.isDatagram()) {
                    move(id, Ibv.QPS_RTR);
                    move(id, Ibv.QPS_RTS);
                }
                return made;
            } catch (VerbsException e) {
                destroyQp(handle);
                throw e;
            }
        }
    }

    private void move(SoftCmId id, int state) {
        CmQpAttr to = id.parameters.attr(state);
        verbs.modifyQp(id.qp, to.attr(), to.mask());
    }

    boolean isIwarp() {
        return verbs.isIwarp();
    }

    /**
     * Moves the identifier's queue pair, if it has one, to RTS with the peer's parameters. With iWARP it moves the one
     * that the application named, as the kernel does.
     *
     * @param passive whether this side accepted the connection
     */
    void moveToReadyToSend(SoftCmId id, boolean passive) {
        if (id.qp != 0) {
            move(id, Ibv.QPS_INIT); // again: only now with the rights of the peer
        }
        if (isIwarp()) {
            CmParameters known = id.parameters;
            CmExchange exchange = Objects.requireNonNull(id.exchange);
            // as iWARP's TCP connection ends
            Runnable onEnd = () -> agent.execute(exchange, CmConversation::disconnect);
            verbs.bringUp(known.qpn, known.attr(Ibv.QPS_RTR), known.attr(Ibv.QPS_RTS), passive, onEnd);
        } else if (id.qp != 0) {
            move(id, Ibv.QPS_RTR);
            move(id, Ibv.QPS_RTS);
        }
    }

    @Override
    public void destroyQp(long handle) {
        SoftCmId id = id("rdma_destroy_qp", handle);
        synchronized (id) {
            if (id.qp == 0) {
                throw new VerbsException("rdma_destroy_qp", Errno.EINVAL, "The identifier has no queue pair");
            }
            verbs.destroyQp(id.qp);
            id.qp = 0;
        }
    }

    @Override
    public void migrateId(long handle, long channel) {
        SoftCmId id = id("rdma_migrate_id", handle);
        SoftCmChannel to = channel("rdma_migrate_id", channel);
        synchronized (id) {
            SoftCmChannel from = id.channel;
            id.channel = to;
            from.events
                    .remove(event -> (event.listenId() == 0 ? event.id() : event.listenId()) == handle)
                    .forEach(to.events::add);
            synchronized (this) {
                from.users--;
                to.users++;
            }
        }
    }

    @Override
    public void setOption(long handle, int option, int value) {
        SoftCmId id = id("rdma_set_option", handle);
        synchronized (id) {
            switch (option) {
                case OPTION_ID_TOS -> id.parameters.typeOfService(value);
                case OPTION_ID_REUSEADDR -> {
                    if (value != 0) {
                        throw unsupported("shared ports: bind to port 0 for a free one");
                    }
                }
                case OPTION_ID_AFONLY -> {
                    id.require("rdma_set_option", State.IDLE, State.BOUND);
                    id.ipv6Only = value != 0;
                }
                case OPTION_ID_ACK_TIMEOUT -> id.parameters.ackTimeout(value);
                default ->
                    throw new VerbsException(
                            "rdma_set_option", Errno.ENOSYS, "There is no option with the number " + option);
            }
        }
    }

    private VerbsException unsupported(String what) {
        return new VerbsException("rdma_set_option", Errno.EOPNOTSUPP, verbs.name() + " does not support " + what);
    }

    @Override
    public void joinMulticast(long handle, InetSocketAddress group, int joinFlags) {
        SoftCmId id = id("rdma_join_multicast_ex", handle);
        synchronized (id) {
            id.groups.join(verbs, group, joinFlags);
        }
    }

    @Override
    public void leaveMulticast(long handle, InetSocketAddress group) {
        SoftCmId id = id("rdma_leave_multicast", handle);
        synchronized (id) {
            id.groups.leave(verbs, group);
        }
    }

    @Override
    public List<CmAddrInfo> getAddrInfo(@Nullable String node, String service, boolean passive, int portSpace) {
        try {
            int port = Integer.parseInt(service);
            InetAddress[] found = node == null
                    ? new InetAddress[] {new InetSocketAddress(0).getAddress()}
                    : InetAddress.getAllByName(node);
            return Arrays.stream(found)
                    .map(address -> new InetSocketAddress(address, port))
                    .map(address -> new CmAddrInfo(portSpace, passive ? address : null, passive ? null : address))
                    .toList();
        } catch (UnknownHostException | IllegalArgumentException e) {
            throw new VerbsException(
                    "rdma_getaddrinfo", Errno.ENOENT, "There is no host " + node + ", or no port " + service);
        }
    }
}
