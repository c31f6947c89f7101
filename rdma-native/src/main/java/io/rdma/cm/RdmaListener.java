package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.RdmaResources;
import io.rdma.engine.Undo;
import io.rdma.verbs.RdmaException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

// Invariants
// - A failed or hostile exchange ends that exchange only; the listener goes on.
// - At most `handshakes` at once; each is bounded in size and time, see Exchange. Each holds a permit until its
// endpoint is with its loop, or it failed: who has all permits knows that none is under way.

/** The passive side of the exchange over TCP: listens, and hands over each connection. */
public final class RdmaListener implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RdmaListener.class.getName());

    private final RdmaResources resources;
    private final ConnectionOptions options;
    private final Consumer<EstablishedConnection> handler;
    private final ServerSocket socket;
    private final AdmissionLimits limits;
    private final Semaphore exchanges;
    private final AtomicInteger open = new AtomicInteger(); // connections that were admitted and are not closed
    private final Set<Socket> exchanging = ConcurrentHashMap.newKeySet();

    private RdmaListener(
            RdmaResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            ServerSocket socket,
            Consumer<EstablishedConnection> handler) {
        this.resources = resources;
        this.options = options;
        this.limits = limits;
        this.exchanges = new Semaphore(limits.handshakes());
        this.socket = socket;
        this.handler = handler;
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
        try (Undo undo = new Undo()) {
            ServerSocket socket = undo.add(new ServerSocket());
            socket.setReuseAddress(true);
            socket.bind(address);
            undo.keep();
            RdmaListener listener = new RdmaListener(resources, options, limits, socket, handler);
            Thread.ofVirtual().name("rdma-listen-" + socket.getLocalPort()).start(listener::run);
            return listener;
        } catch (IOException e) {
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
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void run() {
        while (!socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                if (exchanges.tryAcquire()) {
                    Thread.ofVirtual().name("rdma-accept").start(() -> serve(accepted));
                } else {
                    accepted.close();
                    LOG.log(Logger.Level.WARNING, "too many exchanges at once: a connection was dropped");
                }
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    LOG.log(Logger.Level.WARNING, "accept failed; the listener goes on", e);
                }
            }
        }
    }

    private void serve(Socket accepted) {
        EstablishedConnection connection;
        exchanging.add(accepted);
        try {
            if (socket.isClosed()) {
                accepted.close(); // the close may have missed it
            }
            connection = exchange(accepted);
        } catch (IOException | RuntimeException e) {
            LOG.log(Logger.Level.INFO, "a connection was not established: " + e.getMessage());
            LOG.log(Logger.Level.DEBUG, "details", e);
            return;
        } finally {
            exchanging.remove(accepted);
            exchanges.release();
        }
        try {
            handler.accept(connection);
        } catch (Throwable e) { // the handler is the user's: whatever it throws ends its own connection only
            LOG.log(Logger.Level.ERROR, "the connection handler threw; its connection is closed", e);
            connection.endpoint().fail(e);
        }
    }

    private EstablishedConnection exchange(Socket accepted) throws IOException {
        try (Undo undo = new Undo()) {
            undo.add(accepted);
            Exchange exchange = undo.add(Exchange.over(accepted, options, false));
            RdmaEndpoint endpoint = answer(exchange);
            undo.add(endpoint::close);
            exchange.awaitReady();
            undo.keep();
            ConnectionWatch.start(exchange, endpoint);
            return new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
        }
    }

    private RdmaEndpoint answer(Exchange exchange) throws IOException {
        try {
            PeerParameters peer = exchange.receiveHello();
            admit();
            RdmaEndpoint endpoint = null;
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress())) {
                endpoint = queuePair.connect(peer);
                endpoint.closed().thenRun(open::decrementAndGet);
                exchange.accept(queuePair.local());
                return endpoint;
            } catch (Throwable e) { // a client that is gone already must not leave an endpoint behind
                if (endpoint == null) {
                    open.decrementAndGet();
                } else {
                    endpoint.close();
                }
                throw e;
            }
        } catch (RdmaException | IllegalStateException e) {
            exchange.reject(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void admit() {
        int connections = open.incrementAndGet();
        if (connections > limits.connections()) {
            open.decrementAndGet();
            throw new RdmaConnectException(
                    Reason.REJECTED,
                    "the server has " + limits.connections() + " connections, which is all it admits: try again later",
                    null);
        }
    }

    /** Stops listening and breaks off the exchanges that are under way; connections that exist live on. A second call does nothing. */
    @Override
    public void close() {
        close(socket);
        exchanging.forEach(RdmaListener::close);
    }

    /** After a close: waits until no exchange uses the resources any more. */
    public void awaitExchanges() {
        exchanges.acquireUninterruptibly(limits.handshakes());
        exchanges.release(limits.handshakes());
    }

    private static void close(Closeable one) {
        try {
            one.close();
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "close failed", e);
        }
    }
}
