package io.rdma.internal.connect;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passive side of connecting. It listens for the connection manager, the exchange over TCP, or both, as {@link
 * ConnectMethod} says, and passes each connection to a handler.
 */
public final class RdmaListener implements AutoCloseable {
    private static final int MOST_TRIES = 20;

    private final DeviceResources resources;
    private final ConnectionOptions options;
    private final ConnectionHomes homes;
    private final Admission admission;
    private final RefusalLog refusals;
    private final @Nullable CmTokens tokens; // null without TLS
    private final @Nullable ExchangeServer exchanges; // null if only the connection manager listens
    private @Nullable CmListener manager; // set by the constructor

    private RdmaListener(
            DeviceResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            ConnectionHomes homes,
            @Nullable XrcEnd end)
            throws IOException {
        this.resources = resources;
        this.options = options;
        this.homes = homes;
        this.admission = new Admission(limits);
        this.tokens = options.tls() == null
                ? null
                : new CmTokens(resources.environment().random());
        this.refusals = new RefusalLog(RdmaListener::log, resources.environment());
        ConnectWays ways = ConnectWays.of(resources, options, address.getAddress());
        if (options.path().port() != null) {
            PathWishes wishes = new PathWishes(resources.context(), options);
            PortSelector.requireUsable(resources.context(), wishes.port(address.getAddress()));
        }
        if (!ways.exchange()) {
            exchanges = null;
            manager = CmListener.bind(resources, options, admission, refusals, null, address, homes);
            return;
        }
        ServerSocket socket = bound(address, ways.manager());
        exchanges = new ExchangeServer(resources, options, admission, refusals, socket, tokens, manager, homes, end);
    }

    /**
     * Binds the socket and, if {@code both}, the connection manager. They share the port number unless there are
     * tokens, because a token carries the port of the connection manager.
     */
    private ServerSocket bound(InetSocketAddress address, boolean both) throws IOException {
        for (int tries = 1; ; tries++) {
            try (CleanupStack cleanup = new CleanupStack()) {
                ServerSocket bound =
                        cleanup.add(resources.environment().network().serverSocket());
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
            return CmListener.bind(resources, options, admission, refusals, tokens, address, homes);
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
     * @throws RdmaConnectException BIND if the port is in use or this host does not have the address; DEVICE if the
     *     port of the path is not usable
     */
    public static RdmaListener bind(
            DeviceResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            Consumer<EstablishedConnection> handler) {
        return bindWithHomes(resources, options, limits, address, client -> new ListenersHome(resources, handler));
    }

    /** Home of a connection in the resources of its listener. */
    record ListenersHome(DeviceResources resources, Consumer<EstablishedConnection> handler) implements ConnectionHome {
        @Override
        public void connected(EstablishedConnection connection) {
            handler.accept(connection);
        }

        @Override
        public void failed(Throwable cause) {} // the log of the listener has it
    }

    /**
     * Listens for clients, each of which gets a home of its own.
     *
     * @param resources the resources of the listener
     * @param options of each connection
     * @param limits of admission
     * @param address local; port 0 takes a free one
     * @param homes of the connections
     * @return the listener; closing it leaves the connections open
     * @throws RdmaConnectException BIND if the port is in use or this host does not have the address; DEVICE if the
     *     port of the path is not usable
     */
    public static RdmaListener bindWithHomes(
            DeviceResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            ConnectionHomes homes) {
        return bind(resources, options, limits, address, homes, null);
    }

    /** Does the same for extended reliable connections, unless {@code end} is null. */
    static RdmaListener bind(
            DeviceResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            ConnectionHomes homes,
            @Nullable XrcEnd end) {
        if (address.isUnresolved()) {
            throw new RdmaConnectException(Reason.UNKNOWN_HOST, "unknown host: " + address.getHostString(), null);
        }
        try (CleanupStack cleanup = new CleanupStack()) {
            RdmaListener listener = cleanup.add(new RdmaListener(resources, options, limits, address, homes, end));
            if (listener.exchanges != null) {
                listener.exchanges.start();
            }
            cleanup.keep();
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
        return exchanges != null
                ? exchanges.address()
                : Objects.requireNonNull(manager).address();
    }

    /**
     * Stops listening. Exchanges in progress go on, each within its time-out; {@link #close} would abort them. Existing
     * connections stay open.
     */
    public void stop() {
        CloseSteps steps = new CloseSteps();
        if (exchanges != null) {
            steps.run(exchanges::stop);
        }
        if (manager != null) {
            steps.run(manager::stop);
        }
        steps.report();
    }

    /**
     * Stops listening and aborts the exchanges in progress. Existing connections stay open. A second call does nothing.
     */
    @Override
    public void close() {
        CloseSteps steps = new CloseSteps();
        if (exchanges != null) {
            steps.run(exchanges::stop);
        }
        if (manager != null) {
            steps.run(manager::close);
        }
        if (exchanges != null) {
            exchanges.breakOff(steps);
        }
        steps.report();
    }

    /**
     * Closes all open connections that this listener made, including those not yet passed to the handler. Call it after
     * {@link #close}. It waits until no exchange is in progress and returns when the port can be bound again and the
     * connections have drained. Blocks; does not wait for handlers.
     */
    public void closeConnections() {
        if (exchanges != null) {
            exchanges.awaitStopped();
        }
        admission.closeAll();
    }

    static Logger log() {
        return System.getLogger(RdmaListener.class.getName());
    }
}
