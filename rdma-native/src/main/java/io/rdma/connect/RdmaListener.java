package io.rdma.connect;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.CleanupStack;
import io.rdma.engine.CloseSteps;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.VerbsException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - A failed or hostile exchange ends that exchange only; the listener goes on.
// - At most `handshakes` at once, `handshakesPerAddress` of them of one address; each is bounded in size and time, see
// Exchange. Each holds a permit until its endpoint is with its loop, or it failed: see Admission.

/**
 * The passive side: listens for the connection manager, the exchange over TCP, or both, as {@link ConnectMethod} says,
 * and hands over each connection.
 */
public final class RdmaListener implements AutoCloseable {
    private static final int MOST_TRIES = 20;

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final Consumer<EstablishedConnection> handler;
    private final Admission admission;
    private final RefusalLog refusals = new RefusalLog(RdmaListener::log);
    private final @Nullable CmTokens tokens; // where both listen and clients authenticate
    private final @Nullable ServerSocket socket; // none where only the connection manager listens
    private @Nullable CmListener manager; // set by the constructor
    private final Set<Socket> exchanging = ConcurrentHashMap.newKeySet();

    private RdmaListener(
            RdmaResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            Consumer<EstablishedConnection> handler)
            throws IOException {
        this.resources = resources;
        this.options = options;
        this.handler = handler;
        this.admission = new Admission(limits);
        this.tokens = options.tls() == null ? null : new CmTokens();
        if (options.connectMethod() == ConnectMethod.RDMA_CM && tokens == null) {
            socket = null;
            manager = CmListener.bind(resources, options, admission, refusals, null, address, this::handOver);
            return;
        }
        socket = bound(address, RdmaConnector.mayTryManager(resources, options, address.getAddress()));
    }

    /**
     * Binds the socket and, if both are to listen, the connection manager: at the same port, unless a token says which
     * it is.
     */
    private ServerSocket bound(InetSocketAddress address, boolean both) throws IOException {
        for (int tries = 1; ; tries++) {
            try (CleanupStack cleanup = new CleanupStack()) {
                ServerSocket bound = cleanup.add(new ServerSocket());
                bound.setReuseAddress(true);
                bound.bind(address);
                if (both) {
                    manager = managerAt(
                            new InetSocketAddress(address.getAddress(), tokens == null ? bound.getLocalPort() : 0));
                }
                cleanup.keep();
                return bound;
            } catch (RdmaException e) {
                // Somebody else's port of the other kind: clients would come to them.
                if (!CmListener.isInUse(e) || address.getPort() != 0 || tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    /** @return null where the connection manager is not there, or the address of no device of it */
    private @Nullable CmListener managerAt(InetSocketAddress address) {
        try {
            return CmListener.bind(resources, options, admission, refusals, tokens, address, this::handOver);
        } catch (RdmaException e) {
            if (CmListener.isInUse(e) || options.connectMethod() == ConnectMethod.RDMA_CM) {
                throw e;
            }
            log().log(Logger.Level.DEBUG, "no RDMA CM at " + address + ", only the exchange over TCP", e);
            return null;
        }
    }

    /**
     * Listens.
     *
     * @param resources where the connections live
     * @param options how
     * @param limits what it admits
     * @param address local; port 0 takes a free one
     * @param handler called for each connection, on a thread of its own that may block
     * @return listening; its close leaves the connections alone
     * @throws RdmaConnectException BIND if the port is in use or the address not of this host
     */
    public static RdmaListener bind(
            RdmaResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            Consumer<EstablishedConnection> handler) {
        if (address.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + address.getHostString(), null);
        }
        try {
            RdmaListener listener = new RdmaListener(resources, options, limits, address, handler);
            ServerSocket socket = listener.socket;
            if (socket != null) {
                AcceptLoop loop = new AcceptLoop(socket, accepted -> listener.begin(socket, accepted));
                Thread.ofVirtual().name("rdma-listen-" + socket.getLocalPort()).start(loop::run);
            }
            return listener;
        } catch (IOException | VerbsException e) {
            throw new RdmaConnectException(
                    Reason.BIND,
                    "cannot listen on " + address + ": " + e.getMessage()
                            + ". Choose another port (0 takes a free one) or an address of this host",
                    e);
        }
    }

    /**
     * Where it listens.
     *
     * @return with the real port
     */
    public InetSocketAddress address() {
        return socket != null
                ? (InetSocketAddress) socket.getLocalSocketAddress()
                : Objects.requireNonNull(manager).address();
    }

    private void begin(ServerSocket socket, Socket accepted) {
        Admission.Permit permit = admission.tryBegin(accepted.getInetAddress());
        if (permit != null) {
            try {
                Thread.ofVirtual().name("rdma-accept").start(() -> serve(socket, accepted, permit));
            } catch (Throwable e) { // no memory for a thread: the permit must not be lost with it
                permit.close();
                close(accepted);
                throw e;
            }
            return;
        }
        close(accepted);
        refusals.refused(Logger.Level.WARNING, accepted.getRemoteSocketAddress(), admission.tooManyHandshakes(), null);
    }

    private void serve(ServerSocket socket, Socket accepted, Admission.Permit permit) {
        @Nullable EstablishedConnection connection;
        exchanging.add(accepted);
        try {
            if (socket.isClosed()) {
                accepted.close(); // the close may have missed it
            }
            connection = exchange(accepted, permit);
        } catch (IOException | RuntimeException e) {
            refusals.refused(Refusal.severity(e), accepted.getRemoteSocketAddress(), Refusal.logged(e), e);
            return;
        } finally {
            exchanging.remove(accepted);
            permit.close();
        }
        if (connection != null) {
            handOver(connection);
        }
    }

    private void handOver(EstablishedConnection connection) {
        try {
            handler.accept(connection);
        } catch (Throwable e) { // the handler is the user's: whatever it throws ends its own connection only
            log().log(Logger.Level.ERROR, "the connection handler threw; its connection is closed", e);
            connection.endpoint().abort(e);
        }
    }

    /** @return null if the client went on to the connection manager, with a token of this */
    private @Nullable EstablishedConnection exchange(Socket accepted, Admission.Permit permit) throws IOException {
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(accepted);
            ExchangeDeadline deadline = cleanup.add(new ExchangeDeadline(accepted, options.handshakeTimeout()));
            Exchange exchange = cleanup.add(Exchange.over(accepted, deadline, options, null));
            PeerParameters peer = introduced(exchange, permit);
            if (peer == null) {
                return null;
            }
            RdmaEndpoint endpoint = answer(exchange, peer);
            cleanup.add(endpoint::discard);
            exchange.awaitReady();
            exchange.complete();
            cleanup.keep();
            ConnectionWatch.start(exchange, endpoint);
            return new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
        }
    }

    /** @return null if the client took a token to the connection manager */
    private @Nullable PeerParameters introduced(Exchange exchange, Admission.Permit permit) throws IOException {
        try {
            PeerParameters peer = exchange.receiveHello();
            if (peer != null) {
                return peer;
            }
            CmTokens given = tokens;
            CmListener listening = manager;
            if (given == null || listening == null) {
                exchange.sendToken(null);
                return said(exchange.receiveHello());
            }
            try (CmTokens.Issued token = given.issue(permit, listening.address().getPort())) {
                return afterToken(exchange, token);
            }
        } catch (RuntimeException e) {
            exchange.reject(e);
            throw e;
        }
    }

    /** The token is good for as long as the exchange lasts, which the client ends once it is connected. */
    private static @Nullable PeerParameters afterToken(Exchange exchange, CmTokens.Issued token) throws IOException {
        exchange.sendToken(token.token());
        try {
            PeerParameters peer = said(exchange.receiveHello());
            if (token.isRedeemed()) {
                throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "a client wants two connections at once", null);
            }
            return peer; // RDMA CM does not lead here, so it goes on without
        } catch (IOException | RdmaConnectException e) {
            if (token.isRedeemed()) {
                return null;
            }
            throw e;
        }
    }

    private static PeerParameters said(@Nullable PeerParameters peer) {
        if (peer == null) {
            throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "a client asks for one token after the other", null);
        }
        return peer;
    }

    private RdmaEndpoint answer(Exchange exchange, PeerParameters peer) throws IOException {
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // until the endpoint is there it waits for nobody
            admission.admit();
            RdmaEndpoint endpoint = null;
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress())) {
                endpoint = queuePair.connect(peer, exchange.remoteAddress().getAddress());
                admission.counted(endpoint);
                exchange.accept(queuePair.local());
                return endpoint;
            } catch (Throwable e) { // a client that is gone already must not leave an endpoint behind
                if (endpoint == null) {
                    admission.left();
                } else {
                    endpoint.discard();
                }
                throw e;
            }
        } catch (RuntimeException e) {
            exchange.reject(e);
            throw e;
        }
    }

    /**
     * Stops listening and breaks off the exchanges that are under way; connections that exist live on. A second call
     * does nothing.
     */
    @Override
    public void close() {
        CloseSteps steps = new CloseSteps();
        if (socket != null) {
            steps.run(() -> close(socket));
        }
        if (manager != null) {
            steps.run(manager::close);
        }
        exchanging.forEach(exchange -> steps.run(() -> close(exchange)));
        steps.report();
    }

    /**
     * After a {@link #close}: waits until no exchange is under way, closes all connections that were made here and are
     * still open, also those that the handler did not hear of yet, and returns when they have drained. Blocks; does not
     * wait for handlers.
     */
    public void closeConnections() {
        admission.closeAll();
    }

    private static void close(Closeable one) {
        try {
            one.close();
        } catch (IOException e) {
            log().log(Logger.Level.DEBUG, "close failed", e);
        }
    }

    private static Logger log() {
        return System.getLogger(RdmaListener.class.getName());
    }
}
