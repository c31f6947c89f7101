package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.engine.Undertaking;
import io.rdma.engine.Undo;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventType;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.Errno;
import io.rdma.verbs.QueuePairState;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.VerbsException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

// Invariants
// - A failed or hostile request ends that request only; the listener goes on.
// - The loop's thread only starts what a request needs; the rest is on a virtual thread of the request.

/** The passive side by the connection manager, {@code rdma_listen(3)}: hands over each connection. */
final class CmListener implements AutoCloseable {
    private static final Logger LOG = System.getLogger(CmListener.class.getName());
    private static final int BACKLOG = 128;

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final Admission admission;
    private final Consumer<EstablishedConnection> served;
    private final CmLoop loop;
    private final CmIdentifier id;
    private final Set<CmDialog> dialogs = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private CmListener(
            RdmaResources resources,
            ConnectionOptions options,
            Admission admission,
            Consumer<EstablishedConnection> served) {
        this.resources = resources;
        this.options = options;
        this.admission = admission;
        this.served = served;
        loop = CmLoop.of(resources);
        id = loop.create(this::happened);
    }

    /**
     * Listens.
     *
     * @throws VerbsException EADDRINUSE if the port is, others if the address is of no RDMA device
     * @throws RdmaException where there is no connection manager
     */
    static CmListener bind(
            RdmaResources resources,
            ConnectionOptions options,
            Admission admission,
            InetSocketAddress address,
            Consumer<EstablishedConnection> served) {
        CmListener listener = new CmListener(resources, options, admission, served);
        try (Undo undo = new Undo()) {
            undo.add(listener);
            listener.id.bind(address);
            listener.id.listen(BACKLOG);
            undo.keep();
            return listener;
        }
    }

    /** Whether a failure says that somebody else listens there. */
    static boolean isInUse(RdmaException e) {
        return e instanceof VerbsException verbs && verbs.errno() == Errno.EADDRINUSE;
    }

    InetSocketAddress address() {
        return Objects.requireNonNull(id.localAddress());
    }

    private void happened(CmEvent event) {
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            LOG.log(Logger.Level.WARNING, "the listener was told of " + event);
            return;
        }
        CmIdentifier request = event.identifier();
        boolean begun = admission.tryBegin();
        if (!begun || closed) { // looked at in this order: who closes and waits for all that has begun misses none
            if (begun) {
                admission.end();
            }
            reject(request, "too many exchanges at once, or the server is closing: try again later");
            return;
        }
        CmDialog dialog = new CmDialog("a client", options.handshakeTimeout());
        request.attach(dialog);
        Thread.ofVirtual().name("rdma-accept").start(() -> serve(request, event, dialog));
    }

    private void reject(CmIdentifier request, String reason) {
        try {
            request.reject(CmGreeting.rejection(reason));
        } catch (VerbsException | IllegalStateException e) {
            LOG.log(Logger.Level.DEBUG, "the client is gone, or its identifier was closed with the resources", e);
        }
        loop.close(request);
    }

    private void serve(CmIdentifier request, CmEvent event, CmDialog dialog) {
        EstablishedConnection connection;
        dialogs.add(dialog);
        try (Undo done = new Undo()) {
            if (closed) {
                dialog.cancel(); // the close may have missed it
            }
            done.add(begin(request, dialog));
            connection = establish(request, event, dialog);
        } catch (RuntimeException e) {
            LOG.log(Logger.Level.INFO, "a connection was not established: " + e.getMessage());
            LOG.log(Logger.Level.DEBUG, "details", e);
            return;
        } finally {
            dialogs.remove(dialog);
            admission.end();
        }
        served.accept(connection);
    }

    private Undertaking begin(CmIdentifier request, CmDialog dialog) {
        try {
            return resources.begin(dialog::cancel);
        } catch (IllegalStateException e) {
            reject(request, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private EstablishedConnection establish(CmIdentifier request, CmEvent event, CmDialog dialog) {
        RdmaEndpoint endpoint;
        try {
            endpoint = accept(request, event.parameters());
        } catch (RuntimeException e) {
            reject(request, String.valueOf(e.getMessage()));
            throw e;
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> loop.close(request));
            undo.add(endpoint::discard);
            dialog.await(CmEventType.ESTABLISHED);
            undo.keep();
        }
        CmConnector.watch(loop, request, dialog, endpoint);
        return new EstablishedConnection(
                endpoint,
                Objects.requireNonNull(request.localAddress()),
                Objects.requireNonNull(request.remoteAddress()));
    }

    private RdmaEndpoint accept(CmIdentifier request, ConnectionParameters asked) {
        String device = request.device().name();
        if (!device.equals(resources.context().name())) {
            throw new RdmaConnectException(
                    Reason.DEVICE, "the request came by device " + device + ", which this server does not use", null);
        }
        admission.admit();
        RdmaEndpoint endpoint = null;
        try (QueuePairBringUp queuePair = new QueuePairBringUp(
                resources,
                options,
                Objects.requireNonNull(request.localAddress()).getAddress(),
                request.port(),
                request.attributesTo(QueuePairState.INIT),
                CmGreeting.OFFER)) {
            PeerParameters local = queuePair.local();
            PeerParameters peer = CmGreeting.heard(asked, local);
            endpoint = queuePair.connect(
                    peer, request.attributesTo(QueuePairState.RTR), request.attributesTo(QueuePairState.RTS));
            admission.counted(endpoint);
            request.accept(CmConnector.parameters(local, options)
                    .withReadsAndAtomics(
                            Math.min(local.responderResources(), asked.responderResources()),
                            Math.min(local.initiatorDepth(), asked.initiatorDepth())));
            return endpoint;
        } catch (Throwable e) { // a client that is gone already must not leave an endpoint behind
            if (endpoint == null) {
                admission.left();
            } else {
                endpoint.discard();
            }
            throw e;
        }
    }

    /** Stops listening and breaks off the requests that are under way; connections that exist live on. */
    @Override
    public void close() {
        closed = true;
        loop.close(id);
        dialogs.forEach(CmDialog::cancel);
    }
}
