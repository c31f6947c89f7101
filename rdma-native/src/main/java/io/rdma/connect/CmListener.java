package io.rdma.connect;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.CleanupStack;
import io.rdma.engine.CloseSteps;
import io.rdma.engine.PendingSetup;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
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
import org.jspecify.annotations.Nullable;

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
    private final RefusalLog refusals;
    private final @Nullable CmTokens tokens; // none where clients need not authenticate
    private final Consumer<EstablishedConnection> served;
    private final CmLoop loop;
    private final CmIdentifier id;
    private final Set<CmDialog> dialogs = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private CmListener(
            RdmaResources resources,
            ConnectionOptions options,
            Admission admission,
            RefusalLog refusals,
            @Nullable CmTokens tokens,
            Consumer<EstablishedConnection> served) {
        this.tokens = tokens;
        this.resources = resources;
        this.options = options;
        this.admission = admission;
        this.refusals = refusals;
        this.served = served;
        loop = CmLoop.of(resources);
        id = loop.create(new Requests());
    }

    /**
     * Listens.
     *
     * @param tokens those that requests must have one of, null if none is needed
     * @throws VerbsException EADDRINUSE if the port is, others if the address is of no RDMA device
     * @throws RdmaException where there is no connection manager
     */
    static CmListener bind(
            RdmaResources resources,
            ConnectionOptions options,
            Admission admission,
            RefusalLog refusals,
            @Nullable CmTokens tokens,
            InetSocketAddress address,
            Consumer<EstablishedConnection> served) {
        CmListener listener = new CmListener(resources, options, admission, refusals, tokens, served);
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(listener);
            listener.id.bind(address);
            listener.id.listen(BACKLOG);
            cleanup.keep();
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

    /** The events of the listener's own identifier. */
    private final class Requests implements CmEventHandler {
        @Override
        public void accept(CmEvent event) {
            happened(event);
        }

        @Override
        public void lost(Throwable cause) {
            LOG.log(Logger.Level.ERROR, "no request of a client arrives any more: the listener is closed");
            close();
        }
    }

    private void happened(CmEvent event) {
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            LOG.log(Logger.Level.WARNING, "the listener was told of " + event);
            return;
        }
        CmIdentifier request = event.identifier();
        InetSocketAddress client = request.remoteAddress();
        CmTokens.Redeemed token = null;
        if (tokens != null) {
            token = tokens.redeem(CmGreeting.token(event.parameters()));
            if (token == null) {
                reject(request, "it wants clients to authenticate by TLS: use ConnectionOptions.withTls");
                refusals.refused(Logger.Level.INFO, client, "by RDMA CM without a valid token, see withTls", null);
                return;
            }
        }
        Admission.Permit permit =
                token != null ? token.permit() : admission.tryBegin(client == null ? null : client.getAddress());
        if (permit == null) {
            reject(request, "too many exchanges at once: try again later");
            refusals.refused(Logger.Level.WARNING, client, admission.tooManyHandshakes(), null);
            return;
        }
        byte[] proof = token != null ? token.answer() : CmConnector.NO_TOKEN;
        if (closed) { // looked at after the permit is there: a close that waits for all permits misses none
            permit.close();
            reject(request, "the server is closing: try again later");
            return;
        }
        CmDialog dialog = new CmDialog("a client", options.handshakeTimeout());
        request.attach(dialog);
        Thread.ofVirtual()
                .name("rdma-accept")
                .start(() -> serve(new Request(request, event, dialog, proof), client, permit));
    }

    private void reject(CmIdentifier request, String reason) {
        try {
            request.reject(CmGreeting.rejection(reason));
        } catch (VerbsException | IllegalStateException e) {
            LOG.log(Logger.Level.DEBUG, "the client is gone, or its identifier was closed with the resources", e);
        }
        loop.close(request);
    }

    /**
     * Request of a client that is served.
     *
     * @param proof half of the token for the answer, empty if the client is not authenticated
     */
    private record Request(CmIdentifier id, CmEvent event, CmDialog dialog, byte[] proof) {
        String reason(RuntimeException failure) {
            return Refusal.reason(failure, proof.length > 0);
        }
    }

    private void serve(Request request, @Nullable InetSocketAddress client, Admission.Permit permit) {
        EstablishedConnection connection;
        dialogs.add(request.dialog);
        try (CleanupStack done = new CleanupStack()) {
            if (closed) {
                request.dialog.cancel(); // the close may have missed it
            }
            done.add(begin(request));
            connection = establish(request);
        } catch (RuntimeException e) {
            refusals.refused(Refusal.severity(e), client, Refusal.logged(e), e);
            return;
        } catch (Error e) { // nobody else hears of it: the thread is this request's
            LOG.log(Logger.Level.ERROR, "a connection was not established", e);
            return;
        } finally {
            dialogs.remove(request.dialog);
            permit.close();
        }
        served.accept(connection);
    }

    private PendingSetup begin(Request request) {
        try {
            return resources.begin(request.dialog::cancel);
        } catch (IllegalStateException e) {
            reject(request.id, request.reason(e));
            throw e;
        }
    }

    private EstablishedConnection establish(Request request) {
        CmIdentifier id = request.id;
        RdmaEndpoint endpoint;
        try {
            endpoint = accept(id, request.event.parameters(), request.proof);
        } catch (RuntimeException e) {
            reject(id, request.reason(e));
            throw e;
        } catch (Error e) { // the client waits for an answer
            reject(id, "the server failed");
            throw e;
        }
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(() -> loop.close(id));
            cleanup.add(endpoint::discard);
            request.dialog.await(CmEventType.ESTABLISHED);
            cleanup.keep();
        }
        CmConnector.watch(loop, id, request.dialog, endpoint);
        return new EstablishedConnection(
                endpoint, Objects.requireNonNull(id.localAddress()), Objects.requireNonNull(id.remoteAddress()));
    }

    private RdmaEndpoint accept(CmIdentifier request, ConnectionParameters asked, byte[] proof) {
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
            request.accept(CmConnector.parameters(local, options, proof)
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
        CloseSteps steps = new CloseSteps().run(() -> loop.close(id));
        dialogs.forEach(dialog -> steps.run(dialog::cancel));
        steps.report();
    }
}
