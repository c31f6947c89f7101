package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.QueuePairType;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Comparator;

/** Log of a server that has begun to listen. */
final class ListeningReport {
    private static final Logger LOG = System.getLogger(ListeningReport.class.getName());

    private ListeningReport() {}

    /**
     * Logs where a server listens, and warns if any host can connect.
     *
     * @param properties prefix of the properties with its host and port
     * @param address the address
     * @param device open device of the server
     * @param options options of its connections
     * @param authenticated whether clients authenticate themselves
     */
    static void log(
            String properties,
            InetSocketAddress address,
            DeviceContext device,
            ConnectionOptions options,
            boolean authenticated) {
        LOG.log(
                Logger.Level.INFO,
                properties + " listens at " + address.getAddress().getHostAddress() + ":" + address.getPort() + " on "
                        + device.name() + ", " + gid(device, address.getAddress()) + ", connects by "
                        + method(options, device) + (options.tls() == null ? "" : " with TLS"));
        if (address.getAddress().isAnyLocalAddress() && !authenticated) {
            LOG.log(
                    Logger.Level.WARNING,
                    properties
                            + " listens on all interfaces and does not authenticate clients, so any host that reaches"
                            + " port " + address.getPort() + " can connect. Set rdma.ssl.bundle, by which both sides"
                            + " authenticate each other, or set " + properties
                            + ".host to an address of a network that you trust");
        }
    }

    /** Describes the way of connecting. RDMA CM is not tried on the software device, nor for unreliable connections. */
    private static String method(ConnectionOptions options, DeviceContext device) {
        boolean exchange = device.isSoftware() || options.queuePairType() == QueuePairType.UC;
        return switch (options.connectMethod()) {
            case AUTOMATIC -> exchange ? "TCP" : "RDMA CM or TCP";
            case RDMA_CM -> "RDMA CM";
            case TCP -> "TCP";
        };
    }

    /** Describes the GID that a client sees most likely. It depends on the client's route. */
    private static String gid(DeviceContext device, InetAddress address) {
        try {
            return device.queryGidTable().stream()
                    .map(GidTableEntry::gid)
                    .filter(gid -> !gid.isZero())
                    .min(Comparator.comparing(gid -> rank(gid, address)))
                    .map(gid -> "GID " + gid)
                    .orElse("no GID");
        } catch (RdmaException e) {
            return "GID unknown (" + e.getMessage() + ")";
        }
    }

    private static int rank(Gid gid, InetAddress address) {
        if (gid.toAddress().equals(address)) {
            return 0;
        }
        if (gid.isIpv4Mapped()) {
            return 1;
        }
        return gid.isLinkLocal() ? 3 : 2;
    }
}
