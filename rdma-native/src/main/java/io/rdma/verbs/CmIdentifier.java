package io.rdma.verbs;

import io.rdma.internal.ffi.CmIdEntry;
import io.rdma.internal.ffi.CmQpAttr;
import io.rdma.internal.ffi.Cma;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.QpInitAttr;
import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

// Invariants
// - Every call into the library is made with the monitor and after a look whether this is open: a C pointer is never
// used after it was freed, whatever threads do.
// - The monitor comes before a channel's lock, never after it.

/**
 * An identifier of the connection manager, what a socket is to TCP: {@code struct rdma_cm_id} of
 * {@code rdma_create_id(3)}. Calls start something, an event of {@link #channel} tells how it went;
 * docs/guide/connecting.md has the states. Any thread. To be closed after its queue pair and before its channel.
 */
public final class CmIdentifier implements AutoCloseable {
    private final Verbs verbs;
    private final Rdmacm cm;
    private final long id;
    private final PortSpace portSpace;
    private CmEventChannel channel;
    private @Nullable QueuePair queuePair;
    private @Nullable DeviceContext device;
    private int minRnrTimer = ConnectionParameters.DEFAULT.minRnrTimer();
    private boolean closed;
    private volatile @Nullable Object attachment;

    CmIdentifier(Verbs verbs, Rdmacm cm, long id, PortSpace portSpace, CmEventChannel channel) {
        this.verbs = verbs;
        this.cm = cm;
        this.id = id;
        this.portSpace = portSpace;
        this.channel = channel;
    }

    private long open() {
        if (closed) {
            throw new IllegalStateException("CmIdentifier is closed");
        }
        return id;
    }

    /**
     * The port space that it was made for.
     *
     * @return also of the identifiers that requests make
     */
    public PortSpace portSpace() {
        return portSpace;
    }

    /**
     * Where its events go.
     *
     * @return the channel
     */
    public synchronized CmEventChannel channel() {
        return channel;
    }

    /**
     * Keeps something of the application's, as the {@code context} of C does.
     *
     * @param value or null
     */
    public void attach(@Nullable Object value) {
        attachment = value;
    }

    /**
     * What the application keeps here.
     *
     * @return or null
     */
    public @Nullable Object attachment() {
        return attachment;
    }

    /**
     * Binds to a local address, {@code rdma_bind_addr(3)}.
     *
     * @param address port 0 takes a free one
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL or ENODEV if the address is in use, not of this host, or of no
     *     RDMA device
     */
    public synchronized void bind(InetSocketAddress address) {
        cm.bindAddr(open(), resolved(address));
    }

    private static InetSocketAddress resolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("unknown host: " + address.getHostString());
        }
        return address;
    }

    /**
     * Starts to find device and address, {@code rdma_resolve_addr(3)}: {@link CmEventType#ADDR_RESOLVED} or
     * {@link CmEventType#ADDR_ERROR}.
     *
     * @param source local address, or null for what the routing table says
     * @param destination of the peer
     * @param timeout for the answer
     * @throws VerbsException if it cannot even start: ENETUNREACH, ENODEV
     */
    public synchronized void resolveAddress(
            @Nullable InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        cm.resolveAddr(open(), source == null ? null : resolved(source), resolved(destination), millis(timeout));
    }

    /**
     * Starts to find the route, {@code rdma_resolve_route(3)}: {@link CmEventType#ROUTE_RESOLVED} or
     * {@link CmEventType#ROUTE_ERROR}.
     *
     * @param timeout for the answer
     */
    public synchronized void resolveRoute(Duration timeout) {
        cm.resolveRoute(open(), millis(timeout));
    }

    private static int millis(Duration timeout) {
        return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    }

    /**
     * Listens, {@code rdma_listen(3)}: each request is a {@link CmEventType#CONNECT_REQUEST}.
     *
     * @param backlog requests that may wait
     */
    public synchronized void listen(int backlog) {
        cm.listen(open(), backlog);
    }

    /**
     * Starts to connect, {@code rdma_connect(3)}: {@link CmEventType#ESTABLISHED}, or without a queue pair
     * {@link CmEventType#CONNECT_RESPONSE}; else {@link CmEventType#REJECTED}, {@link CmEventType#UNREACHABLE} or
     * {@link CmEventType#CONNECT_ERROR}. Of the UDP port space, asks for the datagram service's queue pair.
     *
     * @param parameters what is wanted
     * @throws VerbsException EINVAL if the route is not resolved, the private data too long, or more reads and atomics
     *     wanted than the device has
     */
    public synchronized void connect(ConnectionParameters parameters) {
        minRnrTimer = parameters.minRnrTimer();
        cm.connect(open(), parameters.toParam());
    }

    /**
     * Accepts the request that made this identifier, {@code rdma_accept(3)}: {@link CmEventType#ESTABLISHED} when the
     * peer has heard of it. The queue pair, if the identifier has one, can send and receive when this returns.
     *
     * @param parameters what is wanted
     * @throws VerbsException as for {@link #connect}
     */
    public synchronized void accept(ConnectionParameters parameters) {
        minRnrTimer = parameters.minRnrTimer();
        cm.accept(open(), parameters.toParam());
        correctRnrTimer();
    }

    /** The manager moves the queue pair with a timer of 0, which is 655 ms. */
    private void correctRnrTimer() {
        QueuePair own = queuePair;
        if (own != null && !own.isClosed() && portSpace == PortSpace.TCP && minRnrTimer != 0) {
            own.modify(QueuePairAttributes.toState(QueuePairState.RTS).minRnrTimer(minRnrTimer));
        }
    }

    /** Looks at an event of this before anybody else does. */
    synchronized void happened(CmEvent event) {
        if (event.type() == CmEventType.ESTABLISHED && !closed) {
            try {
                correctRnrTimer();
            } catch (VerbsException | IllegalStateException e) {
                // the connection has ended already, and its event comes next
                System.getLogger(CmIdentifier.class.getName()).log(System.Logger.Level.DEBUG, "the timer stays", e);
            }
        }
    }

    /**
     * Refuses the request that made this identifier, {@code rdma_reject(3)}; close it then.
     *
     * @param privateData for the peer, up to 148 bytes
     */
    public synchronized void reject(byte[] privateData) {
        cm.reject(open(), privateData.clone());
    }

    /**
     * Ends the connection, {@code rdma_disconnect(3)}: {@link CmEventType#DISCONNECTED} on both sides; what the queue
     * pair has posted is flushed.
     */
    public synchronized void disconnect() {
        cm.disconnect(open());
    }

    /**
     * After {@link CmEventType#CONNECT_RESPONSE}: tells the peer that the queue pair is ready,
     * {@code rdma_establish(3)}.
     */
    public synchronized void establish() {
        cm.establish(open());
    }

    /**
     * Attributes for a transition of a queue pair that this identifier does not have, {@code rdma_init_qp_attr(3)}.
     * They can be changed before they are used: {@code minRnrTimer} should be.
     *
     * @param state to go to: INIT, RTR or RTS
     * @return the attributes
     */
    public synchronized QueuePairAttributes attributesTo(QueuePairState state) {
        CmQpAttr made = cm.initQpAttr(open(), state.code());
        return QueuePairAttributes.of(made.attr(), made.mask());
    }

    /**
     * Creates a queue pair that this identifier moves through its states, {@code rdma_create_qp(3)}: reliable, of the
     * UDP port space for datagrams. Domain and completion queues must be made from {@link #device}.
     *
     * @param domain of {@link #device}
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete
     * @param capacity wanted depths
     * @return in INIT, receives can be posted; to be closed before this
     * @throws VerbsException EINVAL if there is one already, or the identifier is not bound to a device
     */
    public synchronized QueuePair createQueuePair(
            ProtectionDomain domain,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            QueuePairCapacity capacity) {
        QueuePairType type = portSpace == PortSpace.UDP ? QueuePairType.UD : QueuePairType.RC;
        QpInitAttr wanted =
                new QpInitAttr(sendQueue.handle(), receiveQueue.handle(), 0, capacity.toCap(), type.code(), false);
        Qp made = cm.createQp(open(), domain.handle(), wanted);
        QueuePair own = new QueuePair(
                verbs, domain.context(), type, made, QueuePairCapacity.of(made.cap()), this::destroyQueuePair);
        queuePair = own;
        return own;
    }

    private synchronized void destroyQueuePair() {
        cm.destroyQp(open());
        queuePair = null;
    }

    /**
     * Its queue pair.
     *
     * @return null if it has none
     */
    public synchronized @Nullable QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Moves to another channel, {@code rdma_migrate_id(3)}, with the events that nobody took yet.
     *
     * @param target of the same library
     */
    public synchronized void migrate(CmEventChannel target) {
        if (target.cm != cm) {
            throw new IllegalArgumentException("the channel is of another library");
        }
        CmEventChannel from = channel;
        target.adopt(open(), this);
        try {
            cm.migrateId(id, target.handle());
        } catch (Throwable e) {
            target.forget(id);
            throw e;
        }
        channel = target;
        if (from != target) {
            from.forget(id);
        }
    }

    /**
     * Type of service of its packets, {@code RDMA_OPTION_ID_TOS}.
     *
     * @param tos 0 to 255
     * @throws VerbsException EOPNOTSUPP on {@code soft0}, whose packets bear none
     */
    public synchronized void setTypeOfService(int tos) {
        cm.setOption(open(), Cma.OPTION_ID_TOS, tos);
    }

    /**
     * Whether others may bind to the same address, {@code RDMA_OPTION_ID_REUSEADDR}.
     *
     * @param reuse before {@link #bind}
     * @throws VerbsException EOPNOTSUPP on {@code soft0} for true: there every port has one owner
     */
    public synchronized void setReuseAddress(boolean reuse) {
        cm.setOption(open(), Cma.OPTION_ID_REUSEADDR, reuse ? 1 : 0);
    }

    /**
     * Whether an IPv6 wildcard is not for IPv4, {@code RDMA_OPTION_ID_AFONLY}.
     *
     * @param only before {@link #listen}
     */
    public synchronized void setIpv6Only(boolean only) {
        cm.setOption(open(), Cma.OPTION_ID_AFONLY, only ? 1 : 0);
    }

    /**
     * Acknowledge time-out of its queue pair, {@code RDMA_OPTION_ID_ACK_TIMEOUT}.
     *
     * @param exponent 4.096 us times 2 to the power of it, before connecting
     * @throws VerbsException EINVAL for datagrams, which are not acknowledged
     */
    public synchronized void setAckTimeout(int exponent) {
        cm.setOption(open(), Cma.OPTION_ID_ACK_TIMEOUT, exponent);
    }

    /**
     * Starts to join a group, {@code rdma_join_multicast_ex(3)}: {@link CmEventType#MULTICAST_JOIN} or
     * {@link CmEventType#MULTICAST_ERROR}. The queue pair, if the identifier has one, is attached.
     *
     * @param group its port does not count
     * @param sendOnly whether only to send to it
     */
    public synchronized void joinMulticast(InetSocketAddress group, boolean sendOnly) {
        int flags = sendOnly ? Cma.MC_JOIN_FLAG_SENDONLY_FULLMEMBER : Cma.MC_JOIN_FLAG_FULLMEMBER;
        cm.joinMulticast(open(), resolved(group), flags);
    }

    /**
     * Leaves a group, {@code rdma_leave_multicast(3)}.
     *
     * @param group that was joined
     */
    public synchronized void leaveMulticast(InetSocketAddress group) {
        cm.leaveMulticast(open(), resolved(group));
    }

    /**
     * Local address, {@code rdma_get_local_addr(3)}.
     *
     * @return null before it is bound
     */
    public synchronized @Nullable InetSocketAddress localAddress() {
        return cm.queryId(open()).source();
    }

    /**
     * Address of the peer, {@code rdma_get_peer_addr(3)}.
     *
     * @return null before one is resolved
     */
    public synchronized @Nullable InetSocketAddress remoteAddress() {
        return cm.queryId(open()).destination();
    }

    /**
     * The port of the device.
     *
     * @return from 1; 0 before it is bound to a device
     */
    public synchronized int port() {
        return cm.queryId(open()).portNum();
    }

    /**
     * The device that it is bound to, opened by the library: for domains and completion queues. Not to be closed; it
     * has no asynchronous events.
     *
     * @return lent
     * @throws IllegalStateException if it is not bound to a device yet
     */
    public synchronized DeviceContext device() {
        DeviceContext known = device;
        if (known == null) {
            CmIdEntry entry = cm.queryId(open());
            if (entry.context() == 0) {
                throw new IllegalStateException(
                        "the identifier is not bound to a device: resolve an address, or bind one");
            }
            device = known = DeviceContext.lent(verbs, entry.context(), entry.device());
        }
        return known;
    }

    /**
     * Destroys it, {@code rdma_destroy_id(3)}: ends its connection; its events that nobody took are dropped. A second
     * call does nothing. From a handler of its events, too.
     *
     * @throws VerbsException EBUSY while its queue pair is open
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (queuePair != null) {
            throw new VerbsException("rdma_destroy_id", Errno.EBUSY, "Its queue pair is open: close that first");
        }
        channel.forget(id); // before its address may be another's
        closed = true;
        try {
            cm.destroyId(id);
        } catch (Throwable e) { // it is still there
            closed = false;
            channel.adopt(id, this);
            throw e;
        }
    }

    /**
     * Whether it was closed.
     *
     * @return true once {@link #close} was called
     */
    public synchronized boolean isClosed() {
        return closed;
    }
}
