package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.PendingSetup;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.QueuePairState;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariants
// - A failed or hostile request ends only itself; the listener continues.
// - The loop's thread only starts a request. The rest runs on a virtual thread of that request.

/** Passive side of RDMA CM, {@code rdma_listen(3)}: passes each connection to a consumer. */
final class CmListener implements AutoCloseable {
    private static final Logger LOG = System.getLogger(CmListener.class.getName());
    private static final int BACKLOG = 128;

    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final Admission admission;
    private final RefusalLog refusals;
    private final @Nullable CmTokens tokens; // null if clients need not authenticate
    private final ConnectionHomes homes;
    private final CmLoop loop;
    private final CmIdentifier id;
    private final Set<CmDialog> dialogs = ConcurrentHashMap.newKeySet();
    private @Nullable InetSocketAddress address; // set before it is shared
    private volatile boolean closed;

    private CmListener(
            DeviceResources resources,
            ConnectionOptions options,
            Admission admission,
            RefusalLog refusals,
            @Nullable CmTokens tokens,
            ConnectionHomes homes) {
        this.tokens = tokens;
        this.resources = resources;
        this.options = options;
        this.admission = admission;
        this.refusals = refusals;
        this.homes = homes;
        loop = CmLoop.of(resources);
        id = loop.create(new Requests());
    }

    /**
     * Listens for requests.
     *
     * @param tokens each request must have one of them; null if no token is needed
     * @throws VerbsException EADDRINUSE if the port is in use, another errno if the address belongs to no RDMA device
     * @throws RdmaException if there is no connection manager, or its events cannot be read any more
     */
    static CmListener bind(
            DeviceResources resources,
            ConnectionOptions options,
            Admission admission,
            RefusalLog refusals,
            @Nullable CmTokens tokens,
            InetSocketAddress address,
            ConnectionHomes homes) {
        CmListener listener = new CmListener(resources, options, admission, refusals, tokens, homes);
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(listener);
            listener.listen(address);
            cleanup.keep();
            return listener;
        }
    }

    private void listen(InetSocketAddress wanted) {
        try {
            new PathWishes(resources.context(), options).prepareListener(id);
            id.bind(wanted);
            id.listen(BACKLOG);
            address = Objects.requireNonNull(id.localAddress());
        } catch (IllegalStateException e) {
            loop.requireLive(); // its end has closed this listener
            throw e;
        }
    }

    /** Returns whether a failure means that the port is in use. */
    static boolean isInUse(RdmaException e) {
        return e instanceof VerbsException verbs && verbs.errno() == Errno.EADDRINUSE;
    }

    InetSocketAddress address() {
        return Objects.requireNonNull(address);
    }

    /** Handler of the events of the listener's own identifier. */
    private final class Requests implements CmEventHandler {
        @Override
        public void accept(CmEvent event) {
            happened(event);
        }

        @Override
        public void lost(Throwable cause) {
            LOG.log(Logger.Level.ERROR, "the listener cannot receive connection requests any more: it is closed");
            close();
        }
    }

    private void happened(CmEvent event) {
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            LOG.log(Logger.Level.WARNING, "the listener ignores the event " + event);
            return;
        }
        CmIdentifier request = event.identifier();
        InetSocketAddress client = request.remoteAddress();
        CmTokens.Redeemed token = null;
        if (tokens != null) {
            token = tokens.redeem(CmGreeting.token(event.parameters()));
            if (token == null) {
                reject(request, "it requires clients to authenticate by TLS: use ConnectionOptions.withTls");
                refusals.refused(
                        Logger.Level.INFO,
                        client,
                        "its request by RDMA CM has no valid token: the client needs ConnectionOptions.withTls",
                        null);
                return;
            }
        }
        Admission.Permit permit =
                token != null ? token.permit() : admission.tryBegin(client == null ? null : client.getAddress());
        if (permit == null) {
            reject(request, "too many clients connect at once: try again later");
            refusals.refused(Logger.Level.WARNING, client, admission.tooManyHandshakes(), null);
            return;
        }
        byte[] proof = token != null ? token.answer() : CmConnector.NO_TOKEN;
        if (closed) { // checked with the permit held: a close that waits for all permits misses no request
            permit.close();
            reject(request, "the server is closing: try again later");
            return;
        }
        try {
            CmDialog dialog = new CmDialog(resources.environment(), "a client", options.handshakeTimeout());
            request.attach(dialog);
            resources
                    .environment()
                    .start("rdma-accept", () -> serve(new Request(request, event, dialog, proof), client, permit));
        } catch (Throwable e) { // no memory for a thread: the loop rejects the request, and the permit must be returned
            permit.close();
            throw e;
        }
    }

    /** Rejects a request and frees its identifier. A failure is only logged: the caller reports why it rejects. */
    private void reject(CmIdentifier request, String reason) {
        Throwable failure = new CloseSteps()
                .run(() -> sendRejection(request, reason))
                .run(() -> loop.close(request))
                .failure();
        if (failure != null) {
            LOG.log(Logger.Level.ERROR, "a request was not rejected, or its identifier not freed", failure);
        }
    }

    private static void sendRejection(CmIdentifier request, String reason) {
        try {
            request.reject(CmGreeting.rejection(reason));
        } catch (VerbsException | IllegalStateException e) {
            LOG.log(Logger.Level.DEBUG, "the client is gone, or its identifier was closed with the resources", e);
        }
    }

    /**
     * Request of a client in progress.
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
        Arrival arrival = new Arrival(homes);
        dialogs.add(request.dialog);
        try (CleanupStack done = new CleanupStack()) {
            if (closed) {
                request.dialog.cancel(); // close() may have missed this dialog
            }
            done.add(begin(request));
            connection = establish(request, arrival);
        } catch (RuntimeException e) {
            refusals.refused(Refusal.severity(e), client, Refusal.logged(e), e);
            arrival.failed(e);
            return;
        } catch (Error e) { // logged here, as this request's thread has no caller
            LOG.log(Logger.Level.ERROR, "a connection was not established", e);
            arrival.failed(e);
            return;
        } finally {
            dialogs.remove(request.dialog);
            permit.close();
        }
        arrival.connected(connection);
    }

    private PendingSetup begin(Request request) {
        try {
            return resources.begin(request.dialog::cancel);
        } catch (IllegalStateException e) {
            reject(request.id, request.reason(e));
            throw e;
        }
    }

    private EstablishedConnection establish(Request request, Arrival arrival) {
        CmIdentifier id = request.id;
        Endpoint endpoint;
        try {
            endpoint = accept(request, arrival);
        } catch (RuntimeException e) {
            reject(id, request.reason(e));
            throw e;
        } catch (Error e) { // the client is waiting for an answer
            reject(id, "the server failed, its log says why");
            throw e;
        }
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(() -> loop.close(id));
            cleanup.add(endpoint::discard);
            request.dialog.await(CmEventType.ESTABLISHED);
            request.dialog.awaitFirstFrame(endpoint);
            EstablishedConnection connection = new EstablishedConnection(
                    endpoint, Objects.requireNonNull(id.localAddress()), Objects.requireNonNull(id.remoteAddress()));
            CmConnector.watch(loop, id, request.dialog, endpoint); // closes the identifier, perhaps at once
            cleanup.keep();
            return connection;
        }
    }

    private Endpoint accept(Request asking, Arrival arrival) {
        CmIdentifier request = asking.id;
        ConnectionParameters asked = asking.event.parameters();
        String device = request.device().name();
        if (!device.equals(resources.context().name())) {
            throw new RdmaConnectException(
                    Reason.DEVICE,
                    "the request arrived at device " + device + ", which this server does not use: connect to an"
                            + " address of " + resources.context().name(),
                    null);
        }
        new PathWishes(resources.context(), options).requirePort(Reason.DEVICE, request.port());
        QueuePairBringUp.requireCredits(options, CmGreeting.countsCredits(asked));
        try (Admission.Place place = admission.admit();
                CleanupStack done = new CleanupStack()) {
            DeviceResources home = arrival.home(Objects.requireNonNull(request.remoteAddress()))
                    .resources();
            done.add(home.begin(asking.dialog::cancel));
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    home,
                    options,
                    Objects.requireNonNull(request.localAddress()).getAddress(),
                    request.port(),
                    request.attributesTo(QueuePairState.INIT),
                    CmGreeting.OFFER,
                    null)) {
                PeerParameters local = queuePair.local();
                PeerParameters peer = CmGreeting.heard(asked, local);
                place.take(queuePair.connect(peer, request, false));
                request.accept(CmConnector.parameters(local, options, asking.proof)
                        .withReadsAndAtomics(
                                Math.min(local.responderResources(), asked.responderResources()),
                                Math.min(local.initiatorDepth(), asked.initiatorDepth())));
            }
            return place.keep();
        }
    }

    /** Stops listening. Requests in progress go on. */
    void stop() {
        closed = true;
        loop.close(id);
    }

    /** Stops listening and cancels the requests in progress. Existing connections stay open. */
    @Override
    public void close() {
        CloseSteps steps = new CloseSteps().run(this::stop);
        dialogs.forEach(dialog -> steps.run(dialog::cancel));
        steps.report();
    }
}
