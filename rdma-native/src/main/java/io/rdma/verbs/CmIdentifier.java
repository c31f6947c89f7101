package io.rdma.verbs;

import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.CmIdEntry;
import io.rdma.internal.ibv.CmQpAttr;
import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.Signaling;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

// Invariants
// - A thread calls the library only while it holds the monitor and after it has checked that this object is open. So a
//   C pointer is never used after it was freed, whatever other threads do.
// - Lock order: the monitor first, then the lock of a channel.

/**
 * An identifier of the connection manager, {@code struct rdma_cm_id} of {@code rdma_create_id(3)}. It is the
 * counterpart of a TCP socket. Its calls start an operation, and an event on {@link #channel} reports the result. The
 * states are in docs/guide/connecting.md. Any thread. Close it after its queue pair and before its channel.
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
     * Returns the port space for which it was created.
     *
     * @return the port space; an identifier of a connect request has the one of its listener
     */
    public PortSpace portSpace() {
        return portSpace;
    }

    /**
     * Returns the channel that receives its events.
     *
     * @return the channel
     */
    public synchronized CmEventChannel channel() {
        return channel;
    }

    /**
     * Attaches an object of the application, as the {@code context} of C does.
     *
     * @param value object to attach, or null
     */
    public void attach(@Nullable Object value) {
        attachment = value;
    }

    /**
     * Returns the object that the application attached.
     *
     * @return the object, or null
     */
    public @Nullable Object attachment() {
        return attachment;
    }

    /**
     * Binds to a local address, {@code rdma_bind_addr(3)}.
     *
     * @param address local address; port 0 chooses a free port
     * @throws VerbsException EADDRINUSE if the address is in use, EADDRNOTAVAIL if this host does not have it, ENODEV
     *     if it belongs to no RDMA device
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
     * Starts to resolve the address of a peer and to find the device, {@code rdma_resolve_addr(3)}. The result is
     * {@link CmEventType#ADDR_RESOLVED} or {@link CmEventType#ADDR_ERROR}.
     *
     * @param source local address; null lets the routing table choose
     * @param destination address of the peer
     * @param timeout longest wait for the answer
     * @throws VerbsException ENETUNREACH, ENODEV or another error if resolution cannot start
     */
    public synchronized void resolveAddress(
            @Nullable InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        cm.resolveAddr(open(), source == null ? null : resolved(source), resolved(destination), millis(timeout));
    }

    /**
     * Starts to resolve the route, {@code rdma_resolve_route(3)}. The result is {@link CmEventType#ROUTE_RESOLVED} or
     * {@link CmEventType#ROUTE_ERROR}.
     *
     * @param timeout longest wait for the answer
     */
    public synchronized void resolveRoute(Duration timeout) {
        cm.resolveRoute(open(), millis(timeout));
    }

    private static int millis(Duration timeout) {
        return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    }

    /**
     * Listens for connect requests, {@code rdma_listen(3)}. Each request is an event
     * {@link CmEventType#CONNECT_REQUEST}.
     *
     * @param backlog number of requests that may be pending
     */
    public synchronized void listen(int backlog) {
        cm.listen(open(), backlog);
    }

    /**
     * Starts to connect, {@code rdma_connect(3)}. Success is {@link CmEventType#ESTABLISHED}, or
     * {@link CmEventType#CONNECT_RESPONSE} for an identifier without a queue pair. Failure is
     * {@link CmEventType#REJECTED}, {@link CmEventType#UNREACHABLE} or {@link CmEventType#CONNECT_ERROR}. In the UDP
     * port space it requests the queue pair of the datagram service.
     *
     * @param parameters parameters of this side
     * @throws VerbsException EINVAL if the route is not resolved, the private data is too long, or more reads and
     *     atomics are wanted than the device supports
     */
    public synchronized void connect(ConnectionParameters parameters) {
        minRnrTimer = parameters.minRnrTimer();
        cm.connect(open(), parameters.toParam());
    }

    /**
     * Accepts the request that created this identifier, {@code rdma_accept(3)}. {@link CmEventType#ESTABLISHED}
     * follows when the peer has confirmed. If the identifier has a queue pair, it can send and receive when this
     * method returns.
     *
     * @param parameters parameters of this side
     * @throws VerbsException as for {@link #connect}
     */
    public synchronized void accept(ConnectionParameters parameters) {
        minRnrTimer = parameters.minRnrTimer();
        cm.accept(open(), parameters.toParam());
        correctRnrTimer();
    }

    /**
     * Sets the RNR timer, because the connection manager moves the queue pair with a timer of 0, which is 655 ms. iWARP
     * has no receiver-not-ready.
     */
    private void correctRnrTimer() {
        QueuePair own = queuePair;
        boolean timed = portSpace == PortSpace.TCP && minRnrTimer != 0;
        if (timed && own != null && !own.isClosed() && !device().isIwarp()) {
            own.modify(QueuePairAttributes.toState(QueuePairState.RTS).minRnrTimer(minRnrTimer));
        }
    }

    /** Processes an event of this identifier before the application does. */
    synchronized void happened(CmEvent event) {
        if (event.type() == CmEventType.ESTABLISHED && !closed) {
            try {
                correctRnrTimer();
            } catch (VerbsException | IllegalStateException e) {
                // the connection has already ended; the event for that comes next
                System.getLogger(CmIdentifier.class.getName())
                        .log(System.Logger.Level.DEBUG, "the RNR timer was not set", e);
            }
        }
    }

    /**
     * Rejects the request that created this identifier, {@code rdma_reject(3)}. Close the identifier afterwards.
     *
     * @param privateData data for the peer, up to 148 bytes
     */
    public synchronized void reject(byte[] privateData) {
        cm.reject(open(), privateData.clone());
    }

    /**
     * Ends the connection, {@code rdma_disconnect(3)}: both sides get {@link CmEventType#DISCONNECTED}. The outstanding
     * work requests of the queue pair are flushed.
     */
    public synchronized void disconnect() {
        cm.disconnect(open());
    }

    /**
     * Notifies the peer that the queue pair is ready, {@code rdma_establish(3)}. Call it after
     * {@link CmEventType#CONNECT_RESPONSE}.
     */
    public synchronized void establish() {
        cm.establish(open());
    }

    /**
     * Returns attributes for a transition of a queue pair that the identifier does not own,
     * {@code rdma_init_qp_attr(3)}. The caller may change them before use, and should set {@code minRnrTimer}.
     *
     * @param state target state: INIT, RTR or RTS
     * @return the attributes
     */
    public synchronized QueuePairAttributes attributesTo(QueuePairState state) {
        CmQpAttr made = cm.initQpAttr(open(), state.code());
        return QueuePairAttributes.of(made.attr(), made.mask());
    }

    /**
     * Creates a queue pair that this identifier moves through its states, {@code rdma_create_qp(3)}. It is of type RC,
     * or UD in the UDP port space. Protection domain and completion queues must be created from {@link #device}.
     *
     * @param domain protection domain of {@link #device}
     * @param sendQueue completion queue for sends
     * @param receiveQueue completion queue for receives
     * @param capacity requested depths
     * @return the queue pair in INIT, so receives can be posted; to be closed before this identifier
     * @throws VerbsException EINVAL if the identifier already has a queue pair, or is not bound to a device
     */
    public synchronized QueuePair createQueuePair(
            ProtectionDomain domain,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            QueuePairCapacity capacity) {
        return createQueuePair(domain, sendQueue, receiveQueue, null, capacity, PostingInterface.CLASSIC);
    }

    /**
     * Creates a queue pair that this identifier moves through its states, {@code rdma_create_qp(3)}
     * or {@code rdma_create_qp_ex}.
     *
     * @param domain as for the other method
     * @param sendQueue as for the other method
     * @param receiveQueue as for the other method
     * @param shared shared receive queue of the domain; null if the queue pair has a receive queue of its own
     * @param capacity requested depths; those of receives are ignored if there is a shared receive queue
     * @param posting interface by which requests are posted to it
     * @return as for the other method
     * @throws IllegalArgumentException if the shared receive queue belongs to another domain
     * @throws VerbsException as for the other method; EOPNOTSUPP if the device lacks the extended interface
     */
    public synchronized QueuePair createQueuePair(
            ProtectionDomain domain,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            PostingInterface posting) {
        QueuePairType type = portSpace == PortSpace.UDP ? QueuePairType.UD : QueuePairType.RC;
        QpInitAttr wanted =
                Structures.initAttr(domain, type, sendQueue, receiveQueue, shared, capacity, Signaling.REQUESTED);
        PlacementOperations.Made<Qp> outcome = domain.call(pd -> domain.placement()
                .create(
                        type,
                        posting,
                        sendOps -> sendOps == 0
                                ? cm.createQp(open(), pd, wanted)
                                : cm.createQpEx(open(), pd, wanted, sendOps)));
        SendInterface sends = SendInterface.of(verbs, posting, type, outcome);
        Qp made = outcome.object();
        QueuePair own = new QueuePair(
                verbs,
                sends,
                domain.context(),
                type,
                made,
                Structures.granted(made, type, shared, capacity),
                this::destroyQueuePair);
        queuePair = own;
        return own;
    }

    private synchronized void destroyQueuePair() {
        cm.destroyQp(open());
        queuePair = null;
    }

    /**
     * Returns the queue pair of this identifier.
     *
     * @return the queue pair, or null
     */
    public synchronized @Nullable QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Moves to another channel with all events that are not yet taken, {@code rdma_migrate_id(3)}.
     *
     * @param target channel of the same library
     */
    public synchronized void migrate(CmEventChannel target) {
        if (target.cm != cm) {
            throw new IllegalArgumentException(
                    "the channel belongs to another connection manager: migrate to a channel of the same one");
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
     * Sets the type of service of its packets, {@code RDMA_OPTION_ID_TOS}: the traffic class of the path. Call it
     * before {@link #resolveRoute}.
     *
     * @param tos 0 to 255
     */
    public synchronized void setTypeOfService(int tos) {
        cm.setOption(open(), Cma.OPTION_ID_TOS, tos);
    }

    /**
     * Sets whether other identifiers may bind to the same address, {@code RDMA_OPTION_ID_REUSEADDR}. Call it before
     * {@link #bind}.
     *
     * @param reuse whether the address may be shared
     * @throws VerbsException EOPNOTSUPP on {@code soft0} for true: each of its ports has one owner
     */
    public synchronized void setReuseAddress(boolean reuse) {
        cm.setOption(open(), Cma.OPTION_ID_REUSEADDR, reuse ? 1 : 0);
    }

    /**
     * Sets whether an IPv6 wildcard address excludes IPv4, {@code RDMA_OPTION_ID_AFONLY}. Call it before
     * {@link #listen}.
     *
     * @param only whether to exclude IPv4
     */
    public synchronized void setIpv6Only(boolean only) {
        cm.setOption(open(), Cma.OPTION_ID_AFONLY, only ? 1 : 0);
    }

    /**
     * Sets the acknowledge timeout of its queue pair, {@code RDMA_OPTION_ID_ACK_TIMEOUT}. Call it before connecting.
     *
     * @param exponent the timeout is 4.096 us times 2 to the power of this
     * @throws VerbsException EINVAL for datagrams, which are not acknowledged
     */
    public synchronized void setAckTimeout(int exponent) {
        cm.setOption(open(), Cma.OPTION_ID_ACK_TIMEOUT, exponent);
    }

    /**
     * Starts to join a multicast group, {@code rdma_join_multicast_ex(3)}. The result is
     * {@link CmEventType#MULTICAST_JOIN} or {@link CmEventType#MULTICAST_ERROR}. If the identifier has a queue pair, it
     * is attached to the group.
     *
     * @param group address of the group; its port is ignored
     * @param sendOnly whether to join for sending only
     */
    public synchronized void joinMulticast(InetSocketAddress group, boolean sendOnly) {
        int flags = sendOnly ? Cma.MC_JOIN_FLAG_SENDONLY_FULLMEMBER : Cma.MC_JOIN_FLAG_FULLMEMBER;
        cm.joinMulticast(open(), resolved(group), flags);
    }

    /**
     * Leaves a multicast group, {@code rdma_leave_multicast(3)}.
     *
     * @param group address of a group that was joined
     */
    public synchronized void leaveMulticast(InetSocketAddress group) {
        cm.leaveMulticast(open(), resolved(group));
    }

    /**
     * Returns the local address, {@code rdma_get_local_addr(3)}.
     *
     * @return the address; null before it is bound
     */
    public synchronized @Nullable InetSocketAddress localAddress() {
        return cm.queryId(open()).source();
    }

    /**
     * Returns the address of the peer, {@code rdma_get_peer_addr(3)}.
     *
     * @return the address; null before one is resolved
     */
    public synchronized @Nullable InetSocketAddress remoteAddress() {
        return cm.queryId(open()).destination();
    }

    /**
     * Returns the port of the device.
     *
     * @return from 1; 0 before the identifier is bound to a device
     */
    public synchronized int port() {
        return cm.queryId(open()).portNum();
    }

    /**
     * Returns the device to which it is bound, for protection domains and completion queues. The library opened the
     * device, so the caller must not close it. It has no asynchronous events.
     *
     * @return the device, lent
     * @throws IllegalStateException if the identifier is not bound to a device yet
     */
    public synchronized DeviceContext device() {
        DeviceContext known = device;
        if (known == null) {
            CmIdEntry entry = cm.queryId(open());
            if (entry.context() == 0) {
                throw new IllegalStateException(
                        "the identifier is not bound to a device: resolve an address or bind one first");
            }
            device = known = DeviceContext.lent(verbs, entry.context(), entry.device(), entry.transportType());
        }
        return known;
    }

    /**
     * Destroys the identifier, {@code rdma_destroy_id(3)}, and ends its connection. Its events that are not yet taken
     * are dropped. A second call does nothing. It may be called from a handler of its events.
     *
     * @throws VerbsException EBUSY while its queue pair is open
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (queuePair != null) {
            throw new VerbsException(
                    "rdma_destroy_id", Errno.EBUSY, "The identifier's queue pair is open: close that first");
        }
        channel.forget(id); // before C can give its address to another identifier
        closed = true;
        try {
            cm.destroyId(id);
        } catch (Throwable e) { // the identifier still exists
            closed = false;
            channel.adopt(id, this);
            throw e;
        }
    }

    /**
     * Returns whether it was closed.
     *
     * @return true once {@link #close} was called
     */
    public synchronized boolean isClosed() {
        return closed;
    }
}
