package io.rdma.internal.connect;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.types.DeviceCapability;
import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.XrcDomain;
import org.jspecify.annotations.Nullable;

// Invariant: both sides of an exchange make an extended reliable connection, or neither does.

/**
 * End of an extended reliable connection (XRC), which the exchange over TCP makes: the client's queue pair sends, the
 * server's receives.
 *
 * @param domain of the receiving queue pair; null for the sending one
 */
record XrcEnd(@Nullable XrcDomain domain) {
    static final XrcEnd SENDER = new XrcEnd(null);

    /** Offer of either side. No probe: a request has to name a receiver, and the device knows of none by itself. */
    private static final Offer OFFER =
            new Offer(Exchange.OFFER.lowest(), Exchange.OFFER.highest(), Offer.ALL & ~Offer.PROBES | Offer.EXTENDED);

    /** Returns the offer of a side that makes such an end, or, if it is null, a usual connection with some options. */
    static Offer offer(@Nullable XrcEnd end, ConnectionOptions options) {
        return end == null ? TransportWish.offer(AlternateWish.offer(Exchange.OFFER, options), options) : OFFER;
    }

    /**
     * Checks that the device has extended reliable connections, and can use the memory of the resources for them.
     *
     * @param type of the queue pair, of one end
     * @throws RdmaConnectException DEVICE if it has none, or cannot
     */
    static void require(DeviceResources resources, QueuePairType type) {
        DeviceContext device = resources.context();
        if (!device.queryDevice().capabilities().contains(DeviceCapability.XRC)) {
            throw impossible(device, "IBV_DEVICE_XRC is not set", null);
        }
        OnDemandWish.requirePossible(resources, type);
    }

    /** Creates the exception for a device that has none. */
    static RdmaConnectException impossible(DeviceContext device, String why, @Nullable Throwable cause) {
        return new RdmaConnectException(
                Reason.DEVICE,
                device.name() + " has no extended reliable connections (XRC): " + why
                        + ". Use a device that has them, or a usual connection to each receiver",
                cause);
    }

    /**
     * Returns the options of this end: no credits, because a sender that meets no receive waits in its device; and no
     * memory for what this end does not do.
     *
     * @throws IllegalArgumentException if they ask for RDMA CM, an alternate path, credits or another type of queue
     *     pair
     */
    ConnectionOptions applied(ConnectionOptions options) {
        if (options.connectMethod() == ConnectMethod.RDMA_CM
                || options.path().alternateGidAddress() != null
                || options.flowControl() == FlowControl.CREDITS_REQUIRED
                || !TransportWish.isReliable(options)) {
            throw new IllegalArgumentException("extended reliable connections (XRC) are made by the exchange over TCP,"
                    + " without an alternate path and without credits: choose ConnectMethod.AUTOMATIC or TCP and"
                    + " FlowControl.CREDITS, and leave queuePairType and the path's alternateGidAddress out");
        }
        ConnectionOptions plain = options.withConnectMethod(ConnectMethod.TCP).withFlowControl(FlowControl.PLAIN);
        return domain == null
                ? plain.withReceiveBuffers(1, 32)
                : plain.withReceiveBuffers(1, options.receiveBufferSize())
                        .withSendBuffers(1, 1)
                        .withQueuePair(new QueuePairCapacity(1, 1, 1, 1, 0));
    }

    /**
     * Creates the queue pair of an end, or, if it is null, that of a usual connection.
     *
     * @param usual type of a usual one
     * @param shared where a usual one takes its receives; null if it has its own
     */
    static QueuePair create(
            @Nullable XrcEnd end,
            QueuePairType usual,
            DeviceContext device,
            ProtectionDomain memory,
            CompletionQueue queue,
            @Nullable SharedReceives shared,
            QueuePairCapacity capacity) {
        if (end != null && end.domain != null) {
            return end.domain.createReceiveQueuePair();
        }
        QueuePairType type = end == null ? usual : QueuePairType.XRC_SEND;
        return QueuePairCreation.create(device, memory, type, queue, shared == null ? null : shared.queue(), capacity);
    }

    /**
     * Checks that both sides make an extended reliable connection, or neither does.
     *
     * @throws RdmaConnectException QUEUE_PAIR_TYPE if they differ
     */
    static void requireSame(Offer local, Offer peer) {
        boolean here = local.has(Offer.EXTENDED);
        if (here != peer.has(Offer.EXTENDED)) {
            throw new RdmaConnectException(
                    Reason.QUEUE_PAIR_TYPE,
                    (here ? "this side has" : "the peer has") + " an extended reliable connection (XRC), the other side"
                            + " has another one: connect an XRC sender to an XRC server",
                    null);
        }
    }
}
