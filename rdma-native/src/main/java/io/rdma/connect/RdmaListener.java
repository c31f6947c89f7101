package io.rdma.connect;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.CleanupStack;
import io.rdma.engine.CloseSteps;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
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
// - A failed or hostile exchange ends only itself; the listener continues.
// - At most `handshakes` exchanges are in progress at once, `handshakesPerAddress` of them with one address. Each is
//   bounded in size and time, see Exchange. An exchange holds its permit until its endpoint belongs to its completion
//   loop, or until it fails, see Admission.

/**
 * Passive side of connecting. It listens for the connection manager, the exchange over TCP, or both, as {@link
 * ConnectMethod} says, and passes each connection to a handler.
 */
public final class RdmaListener implements AutoCloseable {
    private static final int MOST_TRIES = 20;

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final Consumer<EstablishedConnection> handler;
    private final Admission admission;
    private final RefusalLog refusals;
    private final @Nullable CmTokens tokens; // null without TLS
    private final @Nullable ServerSocket socket; // null if only the connection manager listens
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
        this.tokens = options.tls() == null
                ? null
                : new CmTokens(resources.environment().random());
        this.refusals = new RefusalLog(RdmaListener::log, resources.environment());
        if (options.connectMethod() == ConnectMethod.RDMA_CM && tokens == null) {
            socket = null;
            manager = CmListener.bind(resources, options, admission, refusals, null, address, this::handOver);
            return;
        }
        socket = bound(address, RdmaConnector.mayTryManager(resources, options, address.getAddress()));
    }

    /**
     * Binds the socket and, if {@code both}, the connection manager. They share the port number unless there are
     * tokens, because a token carries the port of the connection manager.
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
                // For RDMA CM this port number belongs to another program, which clients would reach: take another one.
                if (!CmListener.isInUse(e) || address.getPort() != 0 || tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    /**
     * Binds the connection manager.
     *
     * @return null if there is no connection manager, or the address belongs to no device of it; only the exchange is
     *     then used
     */
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
     * Listens for clients.
     *
     * @param resources the resources to which the connections belong
     * @param options of each connection
     * @param limits of admission
     * @param address local; port 0 takes a free one
     * @param handler called for each connection, on a thread of its own that may block
     * @return the listener; closing it leaves the connections open
     * @throws RdmaConnectException BIND if the port is in use or this host does not have the address
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
                resources.environment().start("rdma-listen-" + socket.getLocalPort(), loop::run);
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
     * Returns the local address.
     *
     * @return the address with the actual port
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
                resources.environment().start("rdma-accept", () -> serve(socket, accepted, permit));
            } catch (Throwable e) { // such as no memory for a thread: the permit must be returned
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
                accepted.close(); // close() may have missed this socket
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
        } catch (Throwable e) { // thrown by the application: it ends only this connection
            log().log(Logger.Level.ERROR, "the connection handler threw; its connection is closed", e);
            connection.endpoint().abort(e);
        }
    }

    /**
     * Runs the exchange with one client.
     *
     * @return null if the client connected by the connection manager, with a token of this exchange
     */
    private @Nullable EstablishedConnection exchange(Socket accepted, Admission.Permit permit) throws IOException {
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(accepted);
            ExchangeDeadline deadline =
                    cleanup.add(new ExchangeDeadline(resources.environment(), accepted, options.handshakeTimeout()));
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

    /**
     * Receives the parameters of the client.
     *
     * @return null if the client redeemed a token at the connection manager
     */
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

    /**
     * Sends the token and receives the next message. The token is valid until the exchange ends; the client ends the
     * exchange once it is connected.
     *
     * @return null if the client redeemed the token
     */
    private static @Nullable PeerParameters afterToken(Exchange exchange, CmTokens.Issued token) throws IOException {
        exchange.sendToken(token.token());
        try {
            PeerParameters peer = said(exchange.receiveHello());
            if (token.isRedeemed()) {
                throw new RdmaConnectException(
                        Reason.PROTOCOL_ERROR,
                        "a client that connects by RDMA CM also sent parameters for the exchange",
                        null);
            }
            return peer; // the client cannot connect by RDMA CM and continues with the exchange
        } catch (IOException | RdmaConnectException e) {
            if (token.isRedeemed()) {
                return null;
            }
            throw e;
        }
    }

    private static PeerParameters said(@Nullable PeerParameters peer) {
        if (peer == null) {
            throw new RdmaConnectException(Reason.PROTOCOL_ERROR, "a client asked for a second token", null);
        }
        return peer;
    }

    private RdmaEndpoint answer(Exchange exchange, PeerParameters peer) throws IOException {
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // nothing to cancel: making the endpoint waits for no peer
            admission.admit();
            RdmaEndpoint endpoint = null;
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress())) {
                endpoint = queuePair.connect(peer, exchange.remoteAddress().getAddress());
                admission.counted(endpoint);
                exchange.accept(queuePair.local());
                return endpoint;
            } catch (Throwable e) { // if the client has left already, no endpoint may remain
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
     * Stops listening and aborts the exchanges in progress. Existing connections stay open. A second call does nothing.
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
     * Closes all open connections that this listener made, including those not yet passed to the handler. Call it after
     * {@link #close}. It waits until no exchange is in progress and returns when the connections have drained. Blocks;
     * does not wait for handlers.
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
