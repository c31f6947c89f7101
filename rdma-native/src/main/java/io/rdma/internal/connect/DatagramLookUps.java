package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.DatagramAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

// Invariant: a look-up is in `open` while it waits. A look-up that starts after the close fails by itself.

/** Look-ups of datagram services: {@code rdma_resolve_addr(3)} to {@code rdma_connect(3)} of the UDP port space. */
final class DatagramLookUps implements AutoCloseable {
    private final DeviceResources resources;
    private final CmLoop loop;
    private final InetSocketAddress local;
    private final int qpNumber;
    private final Duration timeout;
    private final UnaryOperator<AddressHandleAttributes> toPath;
    private final Set<CmDialog> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Prepares the look-ups of one datagram endpoint.
     *
     * @param local address, with port 0, whose device must lead to the service
     * @param qpNumber of the endpoint
     * @param timeout for a whole look-up
     * @param toPath applied to the path to a service
     */
    DatagramLookUps(
            DeviceResources resources,
            CmLoop loop,
            InetSocketAddress local,
            int qpNumber,
            Duration timeout,
            UnaryOperator<AddressHandleAttributes> toPath) {
        this.toPath = toPath;
        this.resources = resources;
        this.loop = loop;
        this.local = local;
        this.qpNumber = qpNumber;
        this.timeout = timeout;
    }

    /** Starts a look-up, see {@link DatagramBinding#resolve}. */
    CompletableFuture<DatagramAddress> start(InetSocketAddress host) {
        CmDialog dialog = new CmDialog(resources.environment(), host.toString(), timeout);
        CompletableFuture<DatagramAddress> result =
                NetworkTask.start(resources.environment(), "rdma-resolve", () -> lookUp(host, dialog));
        result.whenComplete((found, error) -> dialog.cancel());
        return result;
    }

    private DatagramAddress lookUp(InetSocketAddress wanted, CmDialog dialog) {
        InetSocketAddress host =
                wanted.isUnresolved() ? new InetSocketAddress(wanted.getHostString(), wanted.getPort()) : wanted;
        if (host.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + host.getHostString(), null);
        }
        open.add(dialog);
        try {
            if (closed) {
                throw new RdmaConnectException(Reason.CANCELLED, "the datagram endpoint is closed", null);
            }
            return ask(host, dialog);
        } finally {
            open.remove(dialog);
        }
    }

    private DatagramAddress ask(InetSocketAddress host, CmDialog dialog) {
        CmIdentifier id = loop.create(PortSpace.UDP, dialog);
        try {
            CmConnector.resolve(resources, id, dialog, local, host);
            id.connect(ConnectionParameters.DEFAULT.withQueuePair(qpNumber, false));
            CmEvent found = dialog.await(CmEventType.ESTABLISHED);
            return new DatagramAddress(
                    toPath.apply(Objects.requireNonNull(found.destination(), "a service without a path")),
                    found.parameters().queuePairNumber(),
                    found.qkey());
        } catch (VerbsException e) {
            throw new RdmaConnectException(
                    Reason.CONNECT_ERROR, "the look-up of " + host + " failed: " + e.getMessage(), e);
        } finally {
            loop.close(id);
        }
    }

    /** Cancels the look-ups in progress; does not wait. */
    @Override
    public void close() {
        closed = true;
        open.forEach(CmDialog::cancel);
    }
}
