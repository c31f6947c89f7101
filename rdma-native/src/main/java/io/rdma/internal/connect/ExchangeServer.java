package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.net.AcceptLoop;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

// Invariants
// - A failed or hostile exchange ends only itself; the server continues.
// - At most `handshakes` exchanges are in progress at once, `handshakesPerAddress` of them with one address. Each is
//   bounded in size and time, see Exchange. An exchange holds its permit until its endpoint belongs to its completion
//   loop, or until it fails, see Admission.

/** Passive side of the exchange over TCP: it accepts clients of a {@link RdmaListener}, each on a thread of its own. */
final class ExchangeServer {
    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final Admission admission;
    private final RefusalLog refusals;
    private final ServerSocket socket;
    private final AcceptLoop accepting;
    private final @Nullable CmTokens tokens;
    private final @Nullable CmListener manager;
    private final ConnectionHomes homes;
    private final @Nullable XrcEnd end; // of its connections, if they are extended reliable ones
    private final Set<Socket> exchanging = ConcurrentHashMap.newKeySet();

    /**
     * Creates the server. It accepts no client before {@link #start}.
     *
     * @param socket bound; owned from now on
     * @param tokens with which clients may connect by the connection manager; null without TLS
     * @param manager of those clients; null if there is none at this address
     * @param homes of the connections
     * @param end of each of them, if they are extended reliable ones; else null
     */
    ExchangeServer(
            DeviceResources resources,
            ConnectionOptions options,
            Admission admission,
            RefusalLog refusals,
            ServerSocket socket,
            @Nullable CmTokens tokens,
            @Nullable CmListener manager,
            ConnectionHomes homes,
            @Nullable XrcEnd end) {
        this.resources = resources;
        this.options = options;
        this.admission = admission;
        this.refusals = refusals;
        this.socket = socket;
        this.accepting = new AcceptLoop(
                socket,
                new LimitedLog(RdmaListener.class),
                "a client's connection was not accepted; the listener goes on. If the limit of open files was reached,"
                        + " raise it with ulimit -n",
                this::begin);
        this.tokens = tokens;
        this.manager = manager;
        this.homes = homes;
        this.end = end;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** Accepts clients, until {@link #stop}. */
    void start() {
        accepting.start(resources.environment(), "rdma-listen-" + socket.getLocalPort());
    }

    private void begin(Socket accepted) {
        Admission.Permit permit = admission.tryBegin(accepted.getInetAddress());
        if (permit != null) {
            try {
                resources.environment().start("rdma-accept", () -> serve(accepted, permit));
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

    private void serve(Socket accepted, Admission.Permit permit) {
        @Nullable EstablishedConnection connection;
        Arrival arrival = new Arrival(homes);
        exchanging.add(accepted);
        try {
            if (socket.isClosed()) {
                accepted.close(); // breakOff() may have missed this socket
            }
            connection = exchange(accepted, permit, arrival);
        } catch (IOException | RuntimeException e) {
            refusals.refused(Refusal.severity(e), accepted.getRemoteSocketAddress(), Refusal.logged(e), e);
            arrival.failed(e);
            return;
        } catch (Error e) {
            arrival.failed(e);
            throw e;
        } finally {
            exchanging.remove(accepted);
            permit.close();
        }
        if (connection != null) {
            arrival.connected(connection);
        }
    }

    /**
     * Runs the exchange with one client.
     *
     * @return null if the client connected by the connection manager, with a token of this exchange
     */
    private @Nullable EstablishedConnection exchange(Socket accepted, Admission.Permit permit, Arrival arrival)
            throws IOException {
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(accepted);
            ExchangeDeadline deadline =
                    cleanup.add(new ExchangeDeadline(resources.environment(), accepted, options.handshakeTimeout()));
            Exchange exchange = cleanup.add(Exchange.over(accepted, deadline, options, null));
            PeerParameters peer = introduced(exchange, permit);
            if (peer == null) {
                return null;
            }
            Answered answered = answer(exchange, peer, arrival);
            Endpoint endpoint = answered.endpoint();
            cleanup.add(endpoint::discard);
            exchange.awaitReady();
            AlternateWish alternate = answered.alternate();
            if (alternate != null) {
                arm(alternate, endpoint, peer, exchange);
            }
            exchange.complete();
            EstablishedConnection connection =
                    new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
            ConnectionWatch.start(exchange, endpoint); // closes the exchange, perhaps at once
            cleanup.keep();
            return connection;
        }
    }

    /** Sets the alternate path and reports that, or the refusal, for which the client waits. */
    private static void arm(AlternateWish alternate, Endpoint endpoint, PeerParameters peer, Exchange exchange)
            throws IOException {
        try {
            alternate.arm(endpoint, exchange.receiveAlternate(), peer.gid(), exchange);
        } catch (RuntimeException e) {
            exchange.rejectReady(e);
            throw e;
        }
        exchange.sendReady();
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

    /** The endpoint of an exchange that waits for the client, and its alternate path, if there is one. */
    private record Answered(Endpoint endpoint, @Nullable AlternateWish alternate) {}

    private Answered answer(Exchange exchange, PeerParameters peer, Arrival arrival) throws IOException {
        try (Admission.Place place = admitted(peer);
                CleanupStack done = new CleanupStack()) {
            DeviceResources home = arrival.home(exchange.remoteAddress()).resources();
            done.add(home.begin(() -> {})); // nothing to cancel: making the endpoint waits for no peer
            AlternateWish alternate = AlternateWish.of(home.context(), options);
            try (QueuePairBringUp queuePair =
                    new QueuePairBringUp(home, options, exchange.localAddress().getAddress(), end)) {
                place.take(queuePair.connect(peer, exchange.remoteAddress().getAddress()));
                AlternateEnd localEnd = alternate == null
                        ? null
                        : alternate.local(queuePair.local().gid());
                exchange.accept(queuePair.local()); // fails if the client has left already
                if (localEnd != null) { // nothing may fail here: the client awaits this, and no refusal
                    exchange.sendAlternate(localEnd);
                }
            }
            return new Answered(place.keep(), alternate);
        } catch (RuntimeException e) {
            exchange.reject(e);
            throw e;
        }
    }

    private Admission.Place admitted(PeerParameters peer) {
        // Before the credits, because a peer of another type may count none, and that is not its mistake.
        TransportWish.requireSame(XrcEnd.offer(end, options), peer.offer());
        QueuePairBringUp.requireCredits(options, peer.credits());
        return admission.admit();
    }

    /** Accepts no more clients. Does not wait. */
    void stop() {
        accepting.stop();
    }

    /** Waits until the port is free. Runs after {@link #stop}. */
    void awaitStopped() {
        accepting.awaitEnd();
    }

    /** Ends the exchanges in progress. Runs after {@link #stop}. */
    void breakOff(CloseSteps steps) {
        exchanging.forEach(exchange -> steps.run(() -> close(exchange)));
    }

    private static void close(Closeable one) {
        try {
            one.close();
        } catch (IOException e) {
            RdmaListener.log().log(Logger.Level.DEBUG, "close failed", e);
        }
    }
}
