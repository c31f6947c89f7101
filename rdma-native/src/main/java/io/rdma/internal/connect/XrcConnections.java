package io.rdma.internal.connect;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.XrcReceiver;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.XrcDomain;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// Invariant: a device has each domain open once, from its first use until the device closes. So receivers and servers
// of one process meet in a domain without passing it to each other.

/** Extended reliable connections (XRC) of one open device, with its domains. See docs/guide/xrc.md. Thread-safe. */
public final class XrcConnections implements AutoCloseable {
    private static final Object OWN = new Object();

    private final DeviceContext device;
    private final Map<Object, XrcDomain> domains = new HashMap<>(); // guarded by this; see key()

    private XrcConnections(DeviceContext device) {
        this.device = device;
    }

    /** Returns the domain. Must run within a pending setup, behind whose end the domains close. */
    private static XrcDomain domain(DeviceResources resources, @Nullable Path file) {
        XrcEnd.require(resources, QueuePairType.XRC_RECV);
        return resources.companion(XrcConnections.class, XrcConnections::new).domain(file);
    }

    private synchronized XrcDomain domain(@Nullable Path file) {
        try {
            Object key = file == null ? OWN : key(file);
            XrcDomain known = domains.get(key);
            if (known == null) {
                known = file == null ? device.openXrcDomain() : device.openXrcDomain(file, true);
                domains.put(key, known);
            }
            return known;
        } catch (IOException e) {
            throw new RdmaConnectException(
                    Reason.BIND,
                    "the file of an XRC domain cannot be found: " + file
                            + ". Create it, and let all processes of the domain read it",
                    e);
        } catch (VerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.ENOSYS) {
                throw XrcEnd.impossible(device, String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    /** Returns the identity of a file, as the device has it: a file that replaces another one has another domain. */
    private static Object key(Path file) throws IOException {
        Object inode = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return inode == null ? file.toRealPath() : inode; // some file systems have no such keys
    }

    /**
     * Binds a receiver. Blocks briefly.
     *
     * @param resources to which it belongs
     * @param options of the number and size of its receive buffers
     * @param file of the domain; null for the device's own in this process
     * @return open
     * @throws RdmaConnectException DEVICE if the device has no such connections or not that many receives, or there is
     *     no room; BIND if there is no such file
     * @throws VerbsException if the device refuses for another reason
     */
    public static XrcReceiver receiver(DeviceResources resources, ConnectionOptions options, @Nullable Path file) {
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // nothing to cancel: it waits for no peer
            return receiver(resources, options, domain(resources, file));
        }
    }

    private static XrcReceiver receiver(DeviceResources resources, ConnectionOptions options, XrcDomain domain) {
        try {
            return new XrcReceiver(resources, domain, options.receiveBuffers(), options.receiveBufferSize());
        } catch (IllegalStateException noRoom) {
            throw new RdmaConnectException(Reason.DEVICE, String.valueOf(noRoom.getMessage()), noRoom);
        } catch (VerbsException refused) {
            DeviceContext device = resources.context();
            QueuePairCreation.require(
                    device,
                    device.queryDevice().maxSrqWr(),
                    options.receiveBuffers(),
                    "receives in a shared receive queue",
                    "choose fewer receiveBuffers",
                    refused);
            throw refused;
        }
    }

    /**
     * Listens for senders, and makes a receiving queue pair in the domain for each.
     *
     * @param resources to which the queue pairs belong
     * @param options of them; the size of a receive buffer is that of the smallest one of the receivers in the domain
     * @param limits of admission
     * @param address local; port 0 takes a free one
     * @param file of the domain; null for the device's own in this process
     * @return the listener
     * @throws RdmaConnectException BIND if the port is in use or there is no such file; DEVICE if the device has no
     *     such connections
     * @throws IllegalArgumentException if the options ask for RDMA CM, an unreliable connection, an alternate path or
     *     credits
     */
    public static RdmaListener listen(
            DeviceResources resources,
            ConnectionOptions options,
            AdmissionLimits limits,
            InetSocketAddress address,
            @Nullable Path file) {
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // as above
            XrcEnd end = new XrcEnd(domain(resources, file));
            return RdmaListener.bind(
                    resources,
                    end.applied(options),
                    limits,
                    address,
                    client -> new RdmaListener.ListenersHome(resources, connection -> {}),
                    end);
        }
    }

    /**
     * Connects a sender, like {@link RdmaConnector#connect}.
     *
     * @param resources to which it belongs
     * @param options of it
     * @param address of the server
     * @param handler called exactly once
     * @return the attempt
     * @throws RdmaConnectException DEVICE if the device has no such connections
     * @throws IllegalStateException if the resources are closed
     * @throws IllegalArgumentException if the options ask for RDMA CM, an unreliable connection, an alternate path or
     *     credits
     */
    public static RdmaConnector connect(
            DeviceResources resources, ConnectionOptions options, InetSocketAddress address, ConnectHandler handler) {
        try (CleanupStack done = new CleanupStack()) {
            done.add(resources.begin(() -> {})); // as above
            XrcEnd.require(resources, QueuePairType.XRC_SEND);
        }
        return RdmaConnector.connect(resources, XrcEnd.SENDER.applied(options), address, handler, XrcEnd.SENDER);
    }

    @Override
    public synchronized void close() {
        CloseSteps steps = new CloseSteps();
        domains.values().forEach(domain -> steps.run(domain::close));
        domains.clear();
        steps.report();
    }
}
