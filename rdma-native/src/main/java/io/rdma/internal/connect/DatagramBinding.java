package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Environment;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DatagramEndpoint;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.types.PortAttributes;
import io.rdma.types.QueuePairState;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.SenderAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

// Invariant: the endpoint owns the queue pair from its construction on. This object owns the service and the groups,
// and closes them after the queue pair.

/**
 * {@link DatagramEndpoint} bound to an address of RDMA CM's UDP port space: other hosts find it there, and it finds
 * other services and joins groups. Thread-safe. See docs/guide/datagrams.md.
 */
public final class DatagramBinding implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DatagramBinding.class.getName());

    private final Environment environment;
    private final DatagramService service;
    private final InetSocketAddress address;
    private final DatagramEndpoint endpoint;
    private final DatagramGroups groups;
    private final DatagramLookUps lookUps;
    private final CompletableFuture<Void> closed;

    private DatagramBinding(
            DeviceResources resources, CmLoop loop, ConnectionOptions options, InetSocketAddress wanted) {
        this.environment = resources.environment();
        OnDemandWish.requirePossible(resources, QueuePairType.UD);
        try (CleanupStack cleanup = new CleanupStack()) {
            service = new DatagramService(loop);
            cleanup.add(service::close);
            CmIdentifier id = service.identifier();
            id.bind(wanted);
            address = Objects.requireNonNull(id.localAddress());
            requireDevice(resources, id, wanted);
            QueuePair queuePair;
            CompletionReservation completions;
            AlternateWish.requireNone(resources.context(), options);
            PathWishes wishes = new PathWishes(resources.context(), options);
            wishes.requirePort(Reason.DEVICE, id.port());
            PortAttributes port = PortSelector.requireUsable(resources.context(), id.port());
            wishes.requireAddress(address.getAddress());
            wishes.requirePossible(port.linkLayer(), address.getAddress());
            int gid = wishes.gid(id.port(), port.linkLayer(), address.getAddress())
                    .index();
            UnaryOperator<AddressHandleAttributes> toPath = path -> {
                wishes.requireRoute(path);
                return wishes.applied(path);
            };
            SenderAddresses senders =
                    new SenderAddresses(resources.context(), id.port(), gid, DatagramAddress.UDP_QKEY, wishes::applied);
            try (CleanupStack unused = new CleanupStack()) {
                completions = unused.add(
                        resources.roomiestLoop().reserve(options.queuePair().maxSendWr() + options.receiveBuffers()));
                CompletionQueue queue = completions.queue();
                queuePair = unused.add(QueuePairCreation.create(
                        resources.context(), resources.domain(), QueuePairType.UD, queue, null, options.queuePair()));
                queuePair.modify(id.attributesTo(QueuePairState.INIT));
                wishes.requirePartition(queuePair, id.port());
                unused.keep();
            }
            endpoint = new DatagramEndpoint(
                    resources,
                    completions,
                    queuePair,
                    port,
                    senders,
                    new DatagramEndpoint.Options(
                            options.queuePair(),
                            options.receiveBuffers(),
                            options.sendBuffers(),
                            options.signalEvery(),
                            options.drainTimeout()));
            cleanup.add(endpoint.endpoint()::close);
            queuePair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.toState(QueuePairState.RTS)
                    .sqPsn(environment.random().nextInt(1 << 24)));
            groups = new DatagramGroups(loop, queuePair, address.getAddress(), options.handshakeTimeout(), toPath);
            lookUps = new DatagramLookUps(
                    resources,
                    loop,
                    new InetSocketAddress(address.getAddress(), 0),
                    queuePair.number(),
                    options.handshakeTimeout(),
                    path -> {
                        wishes.requireGid(path, port.linkLayer());
                        return toPath.apply(path);
                    });
            endpoint.endpoint().ending().thenRun(this::ending);
            closed = endpoint.endpoint().closed().thenRunAsync(this::release, environment.executor("rdma-unbind"));
            service.serve(endpoint.endpoint());
            cleanup.keep();
        }
    }

    /**
     * Binds an endpoint; blocks briefly.
     *
     * @param resources the resources to which the endpoint belongs
     * @param options of its depths, number of buffers and time-outs, and of the path of datagrams to addresses that are
     *     found here; the other options are for connections only
     * @param address of an RDMA device, not the wildcard; port 0 takes a free one
     * @return the bound endpoint
     * @throws RdmaConnectException BIND if the port is in use or the address belongs to no RDMA device; DEVICE if it
     *     belongs to another device, or there is no room
     * @throws RdmaException if there is no connection manager
     */
    public static DatagramBinding bind(
            DeviceResources resources, ConnectionOptions options, InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + address.getHostString(), null);
        }
        if (address.getAddress().isAnyLocalAddress()) {
            throw new RdmaConnectException(
                    Reason.BIND,
                    "datagrams cannot be bound to the wildcard address: bind them to an address of the device",
                    null);
        }
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // nothing to cancel: it waits for no peer
            return bindTo(resources, options, address);
        }
    }

    private static DatagramBinding bindTo(
            DeviceResources resources, ConnectionOptions options, InetSocketAddress address) {
        CmLoop loop = CmLoop.of(resources);
        try {
            return new DatagramBinding(resources, loop, options, address);
        } catch (VerbsException e) {
            throw new RdmaConnectException(
                    Reason.BIND,
                    "cannot bind datagrams to " + address + ": " + e.getMessage()
                            + ". Choose another port (0 takes a free one) or an address of an RDMA device of this host",
                    e);
        } catch (IllegalStateException noRoom) {
            throw new RdmaConnectException(Reason.DEVICE, String.valueOf(noRoom.getMessage()), noRoom);
        }
    }

    private static void requireDevice(DeviceResources resources, CmIdentifier id, InetSocketAddress wanted) {
        String device = id.device().name();
        if (!device.equals(resources.context().name())) {
            throw new RdmaConnectException(
                    Reason.DEVICE,
                    wanted + " belongs to device " + device + ", not to "
                            + resources.context().name() + ": open that device",
                    null);
        }
    }

    /**
     * Returns the queue pair and its operations.
     *
     * @return shared
     */
    public DatagramEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Returns the address of the service.
     *
     * @return the address with the actual port
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Finds a datagram service, {@code rdma_resolve_addr(3)} to {@code rdma_connect(3)} of the UDP port space.
     *
     * <p><b>Completes</b> with its address; exceptionally with {@link RdmaConnectException}: REJECTED if nothing is
     * bound to that port, UNREACHABLE or TIMEOUT if the host does not answer, ADDR_ERROR or ROUTE_ERROR if no route
     * leads there by this device. <b>Cancel</b> ends the look-up.
     *
     * @param host with a port; an unresolved name is resolved
     * @return a future of this caller's own, which completes on a thread of its own
     */
    public CompletableFuture<DatagramAddress> resolve(InetSocketAddress host) {
        return lookUps.start(host);
    }

    /**
     * Joins a multicast group. Does nothing if it has joined the group already.
     *
     * <p><b>Completes</b> with the group's address once datagrams that are sent to it arrive here, too; exceptionally
     * with {@link RdmaConnectException}. <b>Cancel</b> only ends the wait: {@link #leave} undoes the join.
     *
     * @param group multicast address
     * @return a future of this caller's own, which completes on a thread of its own
     */
    public CompletableFuture<DatagramAddress> join(InetAddress group) {
        if (!group.isMulticastAddress()) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException(group.getHostAddress() + " is not a multicast address"));
        }
        return NetworkTask.start(environment, "rdma-group", () -> groups.join(group));
    }

    /**
     * Leaves a group.
     *
     * <p><b>Completes</b> when no more datagrams arrive from it; exceptionally with {@link IllegalStateException} if it
     * was not joined, or {@link io.rdma.types.VerbsException} if the device refused: the group is joined as before.
     *
     * @param group as joined
     * @return a future of this caller's own, which completes on a thread of its own
     */
    public CompletableFuture<Void> leave(InetAddress group) {
        return NetworkTask.start(environment, "rdma-group", () -> {
            groups.leave(group);
            return null;
        });
    }

    /** (loop) Ends look-ups and detaches the groups, before the queue pair is destroyed. */
    private void ending() {
        new CloseSteps()
                .run(lookUps::close)
                .run(groups::detach)
                .log(DatagramBinding.class, "a look-up or a group was not ended");
    }

    /** Leaves the groups and frees the address, after the queue pair is destroyed. */
    private void release() {
        try {
            groups.close();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "a multicast group was not left", e);
        }
        try {
            service.close();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "an identifier was not closed", e);
        }
    }

    /**
     * Returns the future that completes when the queue pair is destroyed, its groups are left and its address is free.
     * It never completes exceptionally.
     *
     * @return shared
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /** Closes the endpoint. Operations that are not completed fail. Does not wait, see {@link #closed}. */
    @Override
    public void close() {
        endpoint.endpoint().close();
    }
}
