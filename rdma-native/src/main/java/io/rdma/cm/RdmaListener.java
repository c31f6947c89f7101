package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.engine.Undo;
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
// - At most `handshakes` at once; each is bounded in size and time, see Exchange. Each holds a permit until its
// endpoint is with its loop, or it failed: who has all permits knows that none is under way.

/** The passive side: listens for the connection manager, the exchange over TCP, or both, as {@link Connector} says, and hands over each connection. */
public final class RdmaListener implements AutoCloseable {
    private static final int MOST_TRIES = 20;

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final Consumer<EstablishedConnection> handler;
    private final Admission admission;
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
        if (options.connector() == Connector.RDMA_CM) {
            socket = null;
            manager = CmListener.bind(resources, options, admission, address, this::handOver);
            return;
        }
        boolean both = options.connector() == Connector.AUTOMATIC
                && RdmaConnector.mayTryManager(resources, options, address.getAddress());
        socket = bound(address, both);
    }

    /** Binds the socket and, if both are to listen at the same port, the connection manager. */
    private ServerSocket bound(InetSocketAddress address, boolean both) throws IOException {
        for (int tries = 1; ; tries++) {
            try (Undo undo = new Undo()) {
                ServerSocket bound = undo.add(new ServerSocket());
                bound.setReuseAddress(true);
                bound.bind(address);
                if (both) {
                    manager = managerAt(new InetSocketAddress(address.getAddress(), bound.getLocalPort()));
                }
                undo.keep();
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
            return CmListener.bind(resources, options, admission, address, this::handOver);
        } catch (RdmaException e) {
            if (CmListener.isInUse(e)) {
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
                Thread.ofVirtual().name("rdma-listen-" + socket.getLocalPort()).start(() -> listener.run(socket));
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

    private void run(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                if (admission.tryBegin()) {
                    Thread.ofVirtual().name("rdma-accept").start(() -> serve(socket, accepted));
                } else {
                    accepted.close();
                    log().log(Logger.Level.WARNING, "too many exchanges at once: a connection was dropped");
                }
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    log().log(Logger.Level.WARNING, "accept failed; the listener goes on", e);
                }
            }
        }
    }

    private void serve(ServerSocket socket, Socket accepted) {
        EstablishedConnection connection;
        exchanging.add(accepted);
        try {
            if (socket.isClosed()) {
                accepted.close(); // the close may have missed it
            }
            connection = exchange(accepted);
        } catch (IOException | RuntimeException e) {
            log().log(Logger.Level.INFO, "a connection was not established: " + e.getMessage());
            log().log(Logger.Level.DEBUG, "details", e);
            return;
        } finally {
            exchanging.remove(accepted);
            admission.end();
        }
        handOver(connection);
    }

    private void handOver(EstablishedConnection connection) {
        try {
            handler.accept(connection);
        } catch (Throwable e) { // the handler is the user's: whatever it throws ends its own connection only
            log().log(Logger.Level.ERROR, "the connection handler threw; its connection is closed", e);
            connection.endpoint().abort(e);
        }
    }

    private EstablishedConnection exchange(Socket accepted) throws IOException {
        try (Undo undo = new Undo()) {
            undo.add(accepted);
            Exchange exchange = undo.add(Exchange.over(accepted, options, false));
            RdmaEndpoint endpoint = answer(exchange);
            undo.add(endpoint::discard);
            exchange.awaitReady();
            undo.keep();
            ConnectionWatch.start(exchange, endpoint);
            return new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
        }
    }

    private RdmaEndpoint answer(Exchange exchange) throws IOException {
        try (Undo done = new Undo()) {
            PeerParameters peer = exchange.receiveHello();
            done.add(resources.begin(() -> {})); // until the endpoint is there it waits for nobody
            admission.admit();
            RdmaEndpoint endpoint = null;
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress())) {
                endpoint = queuePair.connect(peer);
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
        } catch (RdmaException | IllegalStateException e) {
            exchange.reject(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** Stops listening and breaks off the exchanges that are under way; connections that exist live on. A second call does nothing. */
    @Override
    public void close() {
        if (socket != null) {
            close(socket);
        }
        if (manager != null) {
            manager.close();
        }
        exchanging.forEach(RdmaListener::close);
    }

    /**
     * After a {@link #close}: waits until no exchange is under way, closes all connections that were made here and are still open, also those that the
     * handler did not hear of yet, and returns when they have drained. Blocks; does not wait for handlers.
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
