package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Active side of RDMA CM, {@code rdma_connect(3)}, with a queue pair of the engine's own context. Used once, on a
 * thread that may block.
 */
final class CmConnector {
    /** Status of a rejection because nothing listens: IB specification volume 1, reasons of a REJ. */
    static final int INVALID_SERVICE_ID = 8;

    /** Status of a rejection because the peer's device has another transport. */
    static final int INVALID_TRANSPORT = 9;

    /** Text behind the peer's name if nothing listens there. */
    static final String NO_LISTENER = "has no RDMA CM listener at that port. Is the server running?";

    /** Text behind the peer's name if its device has another transport. */
    static final String OTHER_TRANSPORT = "has a device of another transport: RoCE and iWARP cannot connect to each"
            + " other, so use the same kind of device on both sides";

    /** Empty half of a token, where there is no token. */
    static final byte[] NO_TOKEN = {};

    private static final Duration RESOLVE = Duration.ofSeconds(5);

    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final InetSocketAddress address;
    private final CmTokens.@Nullable Token token;
    private final InetSocketAddress at; // of the server's connection manager
    private final CmDialog dialog;

    /**
     * Prepares a connect.
     *
     * @param token of a server that this side has authenticated, or null
     */
    CmConnector(
            DeviceResources resources,
            ConnectionOptions options,
            InetSocketAddress address,
            CmTokens.@Nullable Token token) {
        this.token = token;
        this.at = token == null ? address : new InetSocketAddress(address.getAddress(), token.port());
        this.resources = resources;
        this.options = options;
        this.address = address;
        dialog = new CmDialog(resources.environment(), address.toString(), options.handshakeTimeout());
    }

    void cancel() {
        dialog.cancel();
    }

    /** Connects. Blocks until the connection is established. */
    EstablishedConnection connect() {
        CmLoop loop = CmLoop.of(resources);
        PathWishes wishes = new PathWishes(resources.context(), options);
        boolean iwarp = resources.context().isIwarp();
        try (CleanupStack cleanup = new CleanupStack()) {
            CmIdentifier id = loop.create(dialog);
            cleanup.add(() -> loop.close(id));
            wishes.prepare(id);
            InetAddress from = wishes.gidAddress();
            resolve(resources, id, dialog, from == null ? null : new InetSocketAddress(from, 0), at);
            wishes.requirePort(Reason.ADDR_ERROR, id.port());
            Endpoint endpoint;
            InetSocketAddress local = Objects.requireNonNull(id.localAddress());
            try (QueuePairBringUp queuePair = new QueuePairBringUp(
                            resources,
                            options,
                            local.getAddress(),
                            id.port(),
                            id.attributesTo(QueuePairState.INIT),
                            CmGreeting.OFFER,
                            null);
                    CleanupStack held = new CleanupStack()) {
                if (iwarp) {
                    held.add(() -> loop.close(id)); // see watch: the manager holds the queue pair
                }
                id.connect(parameters(queuePair.local(), options, token == null ? NO_TOKEN : token.request()));
                CmEvent answer = dialog.await(iwarp ? CmEventType.ESTABLISHED : CmEventType.CONNECT_RESPONSE);
                verify(answer.parameters());
                PeerParameters peer = CmGreeting.heard(answer.parameters(), queuePair.local());
                endpoint = queuePair.connect(peer, id, true);
                held.keep();
            }
            cleanup.add(endpoint::discard);
            if (iwarp) {
                cleanup.add(() -> loop.close(id));
            } else {
                id.establish();
            }
            EstablishedConnection connection =
                    new EstablishedConnection(endpoint, local, Objects.requireNonNull(id.remoteAddress()));
            watch(loop, id, dialog, endpoint); // closes the identifier, perhaps at once
            cleanup.keep();
            return connection;
        } catch (VerbsException e) {
            throw failed(e);
        }
    }

    /** Returns the failure of a call. With iWARP rdma_connect(3) may connect by TCP, and so fail as connect(2). */
    private RdmaConnectException failed(VerbsException e) {
        if (e.errno() == Errno.ECONNREFUSED) {
            return new RdmaConnectException(
                    Reason.REJECTED,
                    address + " " + NO_LISTENER + " (" + e.getMessage() + ")",
                    e,
                    -e.errno(),
                    new byte[0]);
        }
        Reason reason = e.errno() == Errno.ETIMEDOUT || e.errno() == Errno.EHOSTUNREACH
                ? Reason.UNREACHABLE
                : Reason.CONNECT_ERROR;
        return new RdmaConnectException(reason, "connecting to " + address + " failed: " + e.getMessage(), e);
    }

    private void verify(ConnectionParameters answer) {
        if (token != null && !MessageDigest.isEqual(token.answer(), CmGreeting.token(answer))) {
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "the host that answered for " + address + " by RDMA CM is not the server that TLS authenticated"
                            + " there: find out which host has this address, or choose ConnectMethod.TCP",
                    null);
        }
    }

    /**
     * Resolves the device and the route. Blocks.
     *
     * @param from local address; null to let the routing table choose
     */
    static void resolve(
            DeviceResources resources,
            CmIdentifier id,
            CmDialog dialog,
            @Nullable InetSocketAddress from,
            InetSocketAddress address) {
        try {
            id.resolveAddress(from, address, shortly(dialog));
        } catch (VerbsException e) { // some failures are reported by the call itself
            boolean loopback =
                    resources.context().isIwarp() && address.getAddress().isLoopbackAddress();
            throw new RdmaConnectException(
                    Reason.ADDR_ERROR,
                    address + " cannot be resolved by RDMA CM: " + e.getMessage()
                            + (loopback ? ". Connect at the device's own address: iWARP has no loopback address" : ""),
                    e,
                    -e.errno(),
                    new byte[0]);
        }
        dialog.await(CmEventType.ADDR_RESOLVED);
        String device = id.device().name();
        if (!device.equals(resources.context().name())) {
            throw new RdmaConnectException(
                    Reason.ADDR_ERROR,
                    "the route to " + address + " is by device " + device + ", not by "
                            + resources.context().name()
                            + ": open that device, or choose ConnectMethod.TCP, which iWARP does not have",
                    null);
        }
        id.resolveRoute(shortly(dialog));
        dialog.await(CmEventType.ROUTE_RESOLVED);
    }

    /** Returns the time-out of one step: a host that does not resolve within seconds does not resolve later. */
    private static Duration shortly(CmDialog dialog) {
        Duration left = dialog.left();
        return left.compareTo(RESOLVE) < 0 ? left : RESOLVE;
    }

    static ConnectionParameters parameters(PeerParameters local, ConnectionOptions options, byte[] token) {
        return ConnectionParameters.DEFAULT
                .withPrivateData(CmGreeting.of(local, token))
                .withReadsAndAtomics(local.responderResources(), local.initiatorDepth())
                .withRetries(options.retryCnt(), options.rnrRetry())
                .withQueuePair(local.qpNumber(), false);
    }

    /**
     * Keeps the identifier until the endpoint has ended: through it each side is notified of the other's end. With
     * iWARP the identifier goes first. The kernel's manager may hold the queue pair until then, and the device does not
     * destroy a queue pair that is held.
     */
    static void watch(CmLoop loop, CmIdentifier id, CmDialog dialog, Endpoint endpoint) {
        endpoint.established();
        dialog.follow(endpoint);
        Executor executor = endpoint.loop().environment().executor("rdma-disconnect");
        CompletableFuture<Void> disconnected = endpoint.left().thenRunAsync(() -> disconnect(id), executor);
        CompletableFuture<Void> over = id.device().isIwarp() ? disconnected : endpoint.closed();
        over.whenCompleteAsync((nothing, failure) -> loop.close(id), executor);
    }

    private static void disconnect(CmIdentifier id) {
        try {
            id.disconnect();
        } catch (VerbsException | IllegalStateException e) {
            System.getLogger(CmConnector.class.getName())
                    .log(System.Logger.Level.DEBUG, "the connection had ended already", e);
        }
    }
}
