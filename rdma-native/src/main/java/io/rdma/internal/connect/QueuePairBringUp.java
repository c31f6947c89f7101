package io.rdma.internal.connect;

import static io.rdma.internal.engine.EndpointOptions.CONTROL_RECEIVES;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.Abilities;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.PlacementAbilities;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.CompletionReservation;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.GidTableEntry;
import io.rdma.types.LinkLayer;
import io.rdma.types.PortAttributes;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bring-up of one queue pair, from creation to RTS, {@code ibv_modify_qp(3)}: the local half first, then the half that
 * needs the peer's parameters. Used once, by one thread.
 */
final class QueuePairBringUp implements AutoCloseable {
    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final CompletionReservation completions;
    private final ConnectionMemory memory;
    private final QueuePair queuePair;
    private final GidTableEntry gid;
    private final PeerParameters local;
    private final Abilities abilities;
    private final PlacementAbilities placement; // of the device of this side
    private final int vendorId;
    private final PathWishes wishes;
    private final LinkLayer linkLayer;
    private final int portNumber;
    private final @Nullable XrcEnd end;
    private boolean handedOver;

    /**
     * Creates a queue pair for the exchange over TCP.
     *
     * @param end of an extended reliable connection; null for a usual connection
     */
    QueuePairBringUp(
            DeviceResources resources, ConnectionOptions options, InetAddress localAddress, @Nullable XrcEnd end) {
        this(resources, options, localAddress, end, new PathWishes(resources.context(), options));
    }

    private QueuePairBringUp(
            DeviceResources resources,
            ConnectionOptions options,
            InetAddress localAddress,
            @Nullable XrcEnd end,
            PathWishes wishes) {
        this(resources, options, localAddress, end, wishes, wishes.port(localAddress));
    }

    private QueuePairBringUp(
            DeviceResources resources,
            ConnectionOptions options,
            InetAddress local,
            @Nullable XrcEnd end,
            PathWishes wishes,
            int port) {
        this(
                resources,
                TransportWish.applied(options),
                local,
                port,
                wishes.toInit(port),
                XrcEnd.offer(end, options),
                end);
    }

    /**
     * Creates a queue pair with the caller's attributes of the transition to INIT.
     *
     * @param offer versions and capabilities of this side
     * @param end of an extended reliable connection; null for a usual connection
     */
    QueuePairBringUp(
            DeviceResources resources,
            ConnectionOptions options,
            InetAddress localAddress,
            int portNumber,
            QueuePairAttributes toInit,
            Offer offer,
            @Nullable XrcEnd end) {
        this.end = end;
        this.portNumber = portNumber;
        this.resources = resources;
        DeviceAttributes device = resources.context().queryDevice();
        this.options = QueuePairCreation.fitted(options, device);
        wishes = new PathWishes(resources.context(), options);
        CompletionLoop loop = resources.roomiestLoop();
        PortAttributes port = PortSelector.requireUsable(resources.context(), portNumber);
        linkLayer = port.linkLayer();
        wishes.requirePossible(linkLayer, localAddress);
        gid = wishes.gid(portNumber, linkLayer, localAddress);
        abilities = Abilities.of(resources.context(), device);
        vendorId = device.vendorId();
        placement = resources.placement();
        memory = new ConnectionMemory(resources, options, loop, end == null);
        SharedReceives shared = memory.shared();
        ProtectionDomain domain = memory.registrations().domain();
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(memory::release);
            QueuePairCapacity capacity = QueuePairCreation.capacity(this.options);
            completions = cleanup.add(reserve(loop, capacity.maxSendWr() + (shared == null ? receives(options) : 0)));
            queuePair = cleanup.add(XrcEnd.create(
                    end, options.queuePairType(), resources.context(), domain, completions.queue(), shared, capacity));
            queuePair.modify(toInit.access(end != null ? Set.of() : abilities.rights(placement)));
            wishes.requirePartition(queuePair, portNumber);
            cleanup.keep();
        }
        local = new PeerParameters(
                queuePair.number(),
                resources.environment().random().nextInt(1 << 24),
                gid.gid(),
                port.lid(),
                port.activeMtu(),
                Math.min(TransportWish.reads(options), device.maxQpInitRdAtom()),
                Math.min(TransportWish.reads(options), device.maxQpRdAtom()),
                options.flowControl() != FlowControl.PLAIN,
                memory.receiveBuffers(),
                memory.receiveBufferSize(),
                Math.max(options.maxMessageSize(), memory.receiveBufferSize()),
                (shared == null ? offer : offer.and(Offer.SHARED_RECEIVES)).with(placement, vendorId));
    }

    private static int receives(ConnectionOptions options) {
        return options.receiveBuffers() + (options.flowControl() == FlowControl.PLAIN ? 0 : CONTROL_RECEIVES);
    }

    private static CompletionReservation reserve(CompletionLoop loop, int entries) {
        try {
            return loop.reserve(entries);
        } catch (IllegalStateException noRoom) {
            throw new RdmaConnectException(
                    RdmaConnectException.Reason.DEVICE, String.valueOf(noRoom.getMessage()), noRoom);
        }
    }

    PeerParameters local() {
        return local;
    }

    /**
     * Posts the receives, then moves the queue pair to RTR and RTS. The peer may send as soon as this returns.
     *
     * @param from the peer's address in the exchange
     */
    Endpoint connect(PeerParameters peer, InetAddress from) {
        AlternateWish.requireSame(local.offer(), peer.offer());
        TransportWish.requireSame(local.offer(), peer.offer());
        if (linkLayer == LinkLayer.ETHERNET && options.verifyPeerGid()) {
            PeerGid.check(
                    resources.environment().network(),
                    peer.gid(),
                    from,
                    resources.context().isSoftware());
        }
        QueuePairAttributes toRtr = QueuePairAttributes.toState(QueuePairState.RTR)
                .pathMtu(local.mtu().min(peer.mtu()))
                .destQpNum(peer.qpNumber())
                .rqPsn(peer.psn());
        // A global route is mandatory on RoCE, and not needed within an InfiniBand subnet.
        if (linkLayer == LinkLayer.ETHERNET) {
            toRtr.path(portNumber, gid.index(), peer.gid(), 0);
        } else if (wishes.needRoute()) {
            toRtr.path(portNumber, gid.index(), peer.gid(), peer.lid());
        } else {
            toRtr.path(portNumber, peer.lid());
        }
        QueuePairAttributes toRts =
                QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(local.psn());
        TransportWish.addReads(toRtr, toRts, queuePair.type(), local, peer);
        return connect(peer, toRtr, toRts);
    }

    /**
     * Connects as {@link #connect(PeerParameters, InetAddress)} does, with the caller's path, to which the wishes of
     * the options are applied. Timers and retries come from the options.
     */
    Endpoint connect(PeerParameters peer, QueuePairAttributes toRtr, QueuePairAttributes toRts) {
        AddressHandleAttributes path = Objects.requireNonNull(toRtr.path());
        wishes.requireRoute(path);
        toRtr.path(wishes.applied(path));
        Endpoint endpoint = endpoint(peer, EndpointOptions.Start.TOGETHER);
        try {
            TransportWish.addRetries(toRtr, toRts, queuePair.type(), options);
            queuePair.modify(toRtr);
            wishes.requireKept(queuePair);
            queuePair.modify(toRts);
            return endpoint;
        } catch (Throwable e) {
            boolean ended = endpoint.isClosing(); // for a reason that came between, and its queue pair is destroyed
            endpoint.fail(e);
            endpoint.dropUnclaimed(); // in RTR, messages may have arrived
            if (ended && e instanceof IllegalStateException) {
                throw new RdmaConnectException(
                        RdmaConnectException.Reason.DEVICE,
                        "the connection ended while it was being made: " + endpoint.failure(),
                        e);
            }
            throw e;
        }
    }

    /**
     * Connects with the parameters of the connection manager. With iWARP the manager itself moves the queue pair to
     * RTS, before the client knows its server's parameters, and a message without a receive ends the connection. So the
     * client sends first, when it has posted its receives. RFC 5044, 7.1.2, demands that order as well.
     *
     * @param id of the connection
     * @param client whether this side is the client
     */
    Endpoint connect(PeerParameters peer, CmIdentifier id, boolean client) {
        if (resources.context().isIwarp()) {
            return endpoint(peer, client ? EndpointOptions.Start.THIS_SIDE : EndpointOptions.Start.PEER);
        }
        QueuePairAttributes toRtr = id.attributesTo(QueuePairState.RTR);
        wishes.requireGid(toRtr.path(), linkLayer);
        return connect(peer, toRtr, id.attributesTo(QueuePairState.RTS));
    }

    /**
     * Refuses a peer that does not count credits, if the options require them. A server asks before it makes a home for
     * the connection.
     *
     * @param counts whether the peer counts credits
     */
    static void requireCredits(ConnectionOptions options, boolean counts) {
        if (!counts && options.flowControl() == FlowControl.CREDITS_REQUIRED) {
            throw withoutCredits("");
        }
    }

    private static RdmaConnectException withoutCredits(String because) {
        return new RdmaConnectException(
                RdmaConnectException.Reason.FLOW_CONTROL,
                "the peer does not count credits, which is required here" + because
                        + ": use this library at the peer, without FlowControl.PLAIN, or configure "
                        + "FlowControl.PLAIN here",
                null);
    }

    private boolean requiresCredits() {
        return switch (options.flowControl()) {
            case CREDITS -> memory.shared() != null;
            case CREDITS_REQUIRED -> true;
            case PLAIN -> false;
        };
    }

    private Endpoint endpoint(PeerParameters peer, EndpointOptions.Start start) {
        if (!Negotiation.hasCredits(local, peer) && requiresCredits()) {
            throw withoutCredits(memory.shared() == null ? "" : " because receive buffers are shared");
        }
        PlacementAbilities both =
                placement.with(queuePair.operations(), peer.offer().placement(vendorId));
        EndpointOptions negotiated = Negotiation.of(options, local, peer, start, abilities.withPlacement(both));
        Endpoint endpoint = new Endpoint(completions, memory.registrations(), queuePair, memory.shared(), negotiated);
        handedOver = true;
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(memory::release);
            endpoint.start();
            memory.releaseWith(endpoint);
            cleanup.keep();
            return endpoint;
        }
    }

    /** Destroys the queue pair unless an endpoint owns it. */
    @Override
    public void close() {
        if (!handedOver) {
            CloseSteps steps = new CloseSteps().run(queuePair::close).run(completions::close);
            steps.run(memory::release).report();
        }
    }
}
