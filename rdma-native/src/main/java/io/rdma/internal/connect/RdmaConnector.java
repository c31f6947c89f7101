package io.rdma.internal.connect;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.PendingSetup;
import io.rdma.types.RdmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Active side of connecting: by the connection manager or by the exchange over TCP, as {@link ConnectMethod} says. */
public final class RdmaConnector {
    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final InetSocketAddress address;
    private final ConnectHandler handler;
    private final @Nullable XrcEnd end; // of an extended reliable connection
    private final Socket socket;
    private volatile @Nullable CmConnector manager;
    private volatile boolean cancelled;

    private RdmaConnector(
            DeviceResources resources,
            ConnectionOptions options,
            InetSocketAddress address,
            ConnectHandler handler,
            @Nullable XrcEnd end) {
        this.end = end;
        this.resources = resources;
        socket = resources.environment().network().socket();
        this.options = options;
        this.address = address;
        this.handler = handler;
    }

    /**
     * Starts to connect and reports the outcome to the handler.
     *
     * @param resources the resources to which the connection belongs
     * @param options of the connection
     * @param address of the server
     * @param handler called exactly once
     * @return the attempt, for {@link #cancel}
     */
    public static RdmaConnector connect(
            DeviceResources resources, ConnectionOptions options, InetSocketAddress address, ConnectHandler handler) {
        return connect(resources, options, address, handler, null);
    }

    /** Does the same for an extended reliable connection, unless {@code end} is null. */
    static RdmaConnector connect(
            DeviceResources resources,
            ConnectionOptions options,
            InetSocketAddress address,
            ConnectHandler handler,
            @Nullable XrcEnd end) {
        RdmaConnector connector = new RdmaConnector(resources, options, address, handler, end);
        resources.environment().start("rdma-connect", connector::run);
        return connector;
    }

    /** Cancels the attempt. Unless the handler was called already, it is called with a failure, CANCELLED. */
    public void cancel() {
        cancelled = true;
        closeSocket();
        CmConnector asking = manager;
        if (asking != null) {
            asking.cancel();
        }
    }

    private void run() {
        EstablishedConnection connection;
        try (CleanupStack done = new CleanupStack()) {
            connection = connect(done.add(resources.begin(this::cancel)));
        } catch (RuntimeException e) {
            closeSocket();
            handler.failed(cancelled ? cancelled(e) : e);
            return;
        } catch (Error e) { // the handler must be called in any case
            closeSocket();
            handler.failed(new RdmaConnectException(Reason.DEVICE, "connecting failed: " + e, e));
            throw e;
        }
        if (cancelled) {
            connection.endpoint().close();
            connection.endpoint().dropUnclaimed(); // the server may have sent already
            handler.failed(cancelled(null));
        } else {
            handler.connected(connection);
        }
    }

    private RdmaConnectException cancelled(@Nullable RuntimeException cause) {
        return new RdmaConnectException(Reason.CANCELLED, "connecting to " + address + " was cancelled", cause);
    }

    private EstablishedConnection connect(PendingSetup begun) {
        if (address.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + address.getHostString(), null);
        }
        ConnectWays ways = ConnectWays.of(resources, options, address.getAddress());
        if (!ways.manager() || options.tls() != null) {
            return exchange(begun, ways.manager());
        }
        if (!ways.exchange()) {
            return byManager(null, options);
        }
        EstablishedConnection connection = tryManager(null, options);
        return connection != null ? connection : exchange(begun, false);
    }

    /**
     * Tries to connect by the connection manager.
     *
     * @param bounded options with the time that is left
     * @return null if the connection manager cannot reach the server, but the exchange may
     */
    private @Nullable EstablishedConnection tryManager(CmTokens.@Nullable Token token, ConnectionOptions bounded) {
        try {
            return byManager(token, bounded);
        } catch (RdmaException e) {
            if (options.connectMethod() == ConnectMethod.RDMA_CM || !nobodyThere(e) || cancelled) {
                throw e;
            }
            System.getLogger(RdmaConnector.class.getName())
                    .log(System.Logger.Level.DEBUG, "RDMA CM failed, so the exchange over TCP is tried", e);
            return null;
        }
    }

    /** Returns whether the attempt failed before any listener at the other end was asked. */
    private static boolean nobodyThere(RdmaException e) {
        if (!(e instanceof RdmaConnectException connect)) {
            return true; // this host has no connection manager
        }
        return switch (connect.reason()) {
            case ADDR_ERROR, ROUTE_ERROR -> true;
            case REJECTED -> connect.status() == CmConnector.INVALID_SERVICE_ID;
            default -> false;
        };
    }

    private EstablishedConnection byManager(CmTokens.@Nullable Token token, ConnectionOptions bounded) {
        CmConnector asking = new CmConnector(resources, bounded, address, token);
        manager = asking;
        if (cancelled) {
            asking.cancel(); // cancel() may have missed this connector
        }
        return asking.connect();
    }

    /**
     * Connects by the exchange.
     *
     * @param manager whether to connect by the connection manager, with a token, if the server listens for it
     */
    private EstablishedConnection exchange(PendingSetup begun, boolean manager) {
        try (CleanupStack cleanup = new CleanupStack()) {
            ExchangeDeadline deadline =
                    cleanup.add(new ExchangeDeadline(resources.environment(), socket, options.handshakeTimeout()));
            leaveFromGid();
            socket.connect(address, deadline.millisLeft());
            cleanup.add(socket);
            Exchange exchange = cleanup.add(Exchange.over(socket, deadline, options, address.getHostString()));
            EstablishedConnection authenticated = manager ? byToken(exchange, deadline) : null;
            if (authenticated != null) {
                return authenticated; // closing the exchange lets the server discard the token
            }
            Endpoint endpoint;
            PeerParameters peer;
            @Nullable AlternateEnd localEnd;
            AlternateWish alternate = AlternateWish.of(resources.context(), options);
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                    resources, options, exchange.localAddress().getAddress(), end)) {
                localEnd = alternate == null
                        ? null
                        : alternate.local(queuePair.local().gid());
                exchange.sendHello(queuePair.local());
                peer = exchange.receiveAnswer();
                endpoint = queuePair.connect(peer, exchange.remoteAddress().getAddress());
            }
            cleanup.add(endpoint::discard);
            if (alternate != null) {
                alternate.arm(endpoint, exchange.receiveAlternate(), peer.gid(), exchange);
            }
            exchange.sendReady();
            if (localEnd != null) {
                exchange.sendAlternate(localEnd);
                exchange.awaitServerReady();
            }
            exchange.complete();
            begun.close(); // from here on closing the resources closes the endpoint, with a farewell
            EstablishedConnection connection =
                    new EstablishedConnection(endpoint, exchange.localAddress(), exchange.remoteAddress());
            ConnectionWatch.start(exchange, endpoint); // closes the exchange, perhaps at once
            cleanup.keep();
            return connection;
        } catch (SocketTimeoutException e) {
            throw new RdmaConnectException(
                    Reason.TIMEOUT, address + " did not answer within " + options.handshakeTimeout(), e);
        } catch (SSLException e) { // with TLS 1.3 a server refuses this side's certificate at the first read
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    address + " ended TLS: " + PeerText.of(e.getMessage())
                            + ". Does its trust store accept this side's certificate?",
                    e);
        } catch (IOException e) {
            if (socket.isConnected()) {
                throw new RdmaConnectException(
                        Reason.PROTOCOL_ERROR,
                        address + " closed the connection during the exchange: " + PeerText.of(e.getMessage())
                                + ". Its log may say why; do both sides use TLS, or neither?",
                        e);
            }
            throw new RdmaConnectException(
                    Reason.UNREACHABLE,
                    "cannot reach " + address + ": " + e.getMessage() + ". Is the server running?",
                    e);
        }
    }

    /**
     * Binds the socket to the address of the GID that the options ask for, so that the peer finds the GID to be this
     * side's. An address that is not this host's is left to the choice of the GID, which refuses it.
     */
    private void leaveFromGid() {
        InetAddress from = options.path().gidAddress();
        if (from == null
                || !options.verifyPeerGid()
                || from.getClass() != address.getAddress().getClass()) {
            return;
        }
        try {
            socket.bind(new InetSocketAddress(from, 0));
        } catch (IOException e) {
            System.getLogger(RdmaConnector.class.getName())
                    .log(System.Logger.Level.DEBUG, "the exchange does not leave from " + from, e);
        }
    }

    private @Nullable EstablishedConnection byToken(Exchange exchange, ExchangeDeadline deadline) throws IOException {
        exchange.requestToken();
        CmTokens.Token token = exchange.receiveToken();
        if (token != null) {
            Duration left = Duration.ofMillis(deadline.millisLeft()); // one bound for both parts
            return tryManager(token, options.withHandshakeTimeout(left));
        }
        if (options.connectMethod() == ConnectMethod.RDMA_CM) {
            throw new RdmaConnectException(
                    Reason.REJECTED,
                    address + " does not listen for RDMA CM: use ConnectMethod.AUTOMATIC or TCP",
                    null);
        }
        return null;
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(RdmaConnector.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }
}
