package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.types.GidTableEntry;
import io.rdma.types.LinkLayer;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariant: a wish is fulfilled, or the connection fails. What this side sets itself is set; what the device or the
// connection manager decides is compared with the wish. Without wishes nothing is asked of the device.

/** Path that options ask for, on an open device: it is applied to the attributes of a path, or checked against them. */
final class PathWishes {
    private static final int MOST_PRIORITY = 7;
    private static final String NO_LABEL = "Packets over IPv4 have no flow label: choose a GID of IPv6 by"
            + " PathOptions.withGidAddress, or leave it out";

    private final PathOptions wanted;
    private final DeviceContext device;

    PathWishes(DeviceContext device, ConnectionOptions options) {
        this.device = device;
        wanted = options.path();
        if (device.isIwarp()) {
            refuseOnIwarp("serviceLevel", wanted.serviceLevel());
            refuseOnIwarp("hopLimit", wanted.hopLimit());
            refuseOnIwarp("flowLabel", wanted.flowLabel());
            refuseOnIwarp("partitionKey", wanted.partitionKey());
            refuseOnIwarp("partitionIndex", wanted.partitionIndex());
            refuseOnIwarp("gidType", wanted.gidType());
        }
    }

    private void refuseOnIwarp(String option, @Nullable Object value) {
        if (value != null) {
            throw refusal(option, value, "iWARP has none: leave it out, or use a device of RoCE or InfiniBand");
        }
    }

    private RdmaConnectException refusal(String option, @Nullable Object value, String why) {
        return refusal(device, Reason.DEVICE, option, value, why);
    }

    /** Returns the failure of a path with one part that cannot be had. */
    static RdmaConnectException refusal(
            DeviceContext device, Reason reason, String option, @Nullable Object value, String why) {
        return new RdmaConnectException(
                reason,
                "the path's " + option + " " + value + " is not possible on " + device.name() + ": " + why,
                null);
    }

    /** Returns whether RDMA CM would decide what the options ask for, or has no such thing, and the exchange has. */
    static boolean needExchange(PathOptions path) {
        return path.gidType() != null
                || path.partitionKey() != null
                || path.partitionIndex() != null
                || path.alternateGidAddress() != null;
    }

    /** Returns the port for a connection that the connection manager does not make. */
    int port(InetAddress local) {
        Integer port = wanted.port();
        if (port == null) {
            return PortSelector.select(device, local, wanted);
        }
        int ports = device.queryDevice().physPortCnt();
        if (port > ports) {
            throw refusal("port", port, "it has the ports 1 to " + ports);
        }
        return port;
    }

    /** Returns attributes of the transition to INIT, for a connection that the connection manager does not make. */
    QueuePairAttributes toInit(int port) {
        return QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(partitionIndex(port))
                .port(port);
    }

    /**
     * Checks the port that the connection manager has chosen.
     *
     * @param reason of the failure
     */
    void requirePort(Reason reason, int chosen) {
        Integer port = wanted.port();
        if (port != null && port != chosen) {
            throw refusal(
                    device,
                    reason,
                    "port",
                    port,
                    "the addresses lead to port " + chosen + ": connect to an address of the other port's network, or"
                            + " choose ConnectMethod.TCP, which takes the port from this option");
        }
    }

    /** Returns the index of the partition in a port's table. */
    int partitionIndex(int port) {
        Integer index = wanted.partitionIndex();
        Integer key = wanted.partitionKey();
        if (index == null && key == null) {
            return 0;
        }
        int length = device.queryPort(port).pkeyTableLength();
        if (index != null) {
            if (index >= length) {
                throw refusal("partitionIndex", index, "the table of port " + port + " has " + length + " entries");
            }
            return index;
        }
        return PartitionSelector.indexOf(device, Objects.requireNonNull(key), port, length);
    }

    /** Checks the partition of a queue pair in INIT, which the connection manager may have chosen. */
    void requirePartition(QueuePair queuePair, int port) {
        if (wanted.partitionIndex() == null && wanted.partitionKey() == null) {
            return;
        }
        int index = partitionIndex(port);
        int chosen = queuePair.query().pkeyIndex();
        if (index != chosen) {
            throw refusal(
                    "partition",
                    "at index " + index,
                    "the connection manager chose index " + chosen + ", by the network interface of the address:"
                            + " connect by the addresses of the partition's interface, or choose ConnectMethod.TCP");
        }
    }

    /**
     * Returns the entry of the GID table from which this side sends.
     *
     * @param local local address of the exchange or of the connection manager
     */
    GidTableEntry gid(int port, LinkLayer layer, InetAddress local) {
        if (device.isIwarp()) {
            requireAddress(local);
        }
        // These GIDs are not made of IP addresses.
        if (device.isIwarp() || layer == LinkLayer.INFINIBAND && local.equals(wanted.gidAddress())) {
            return GidSelector.select(device, port, layer, local, GidSelector.anyAddress(wanted));
        }
        return GidSelector.select(device, port, layer, local, wanted);
    }

    /** Checks the local address, if the connection manager chooses the GID by it. */
    void requireAddress(InetAddress local) {
        InetAddress address = wanted.gidAddress();
        if (address != null && !address.equals(local)) {
            throw refusal(
                    "gidAddress",
                    address.getHostAddress(),
                    "the local address is " + local.getHostAddress() + ": bind or connect to the other one, or leave"
                            + " the option out");
        }
    }

    /** Returns the local address to connect from, or null. */
    @Nullable
    InetAddress gidAddress() {
        return wanted.gidAddress();
    }

    /** Sets the type of service of an identifier that will resolve its route. */
    void prepare(CmIdentifier connecting) {
        if (wanted.trafficClass() != null) {
            connecting.setTypeOfService(wanted.trafficClass());
        }
    }

    /** Sets the type of service of an identifier that will listen, which connections of iWARP inherit. */
    void prepareListener(CmIdentifier listening) {
        if (device.isIwarp()) {
            prepare(listening);
        }
    }

    /** Checks the GID of a path that the connection manager has chosen. */
    void requireGid(@Nullable AddressHandleAttributes path, LinkLayer layer) {
        GlobalRoute route = path == null ? null : path.route();
        if (path == null || route == null || wanted.gidType() == null && wanted.gidAddress() == null) {
            return;
        }
        PathOptions compared = layer == LinkLayer.INFINIBAND ? GidSelector.anyAddress(wanted) : wanted;
        GidTableEntry chosen = device.queryGid(path.port(), route.sgidIndex());
        if (!GidSelector.fits(device, chosen, compared)) {
            boolean byType = wanted.gidType() != null && wanted.gidType() != chosen.type();
            throw refusal(
                    byType ? "gidType" : "gidAddress",
                    byType ? wanted.gidType() : wanted.gidAddress(),
                    "the connection manager chose " + chosen + ": "
                            + (byType ? "set its type by cma_roce_mode" : "let the client connect to that address")
                            + ", or choose ConnectMethod.TCP");
        }
    }

    /**
     * Checks what a port or an address can never have, before anything is made.
     *
     * @param local local address
     */
    void requirePossible(LinkLayer layer, InetAddress local) {
        Integer level = wanted.serviceLevel();
        if (level != null) {
            if (device.isSoftware() && level > 0) {
                throw refusal("serviceLevel", level, "a software device has none: use the trafficClass");
            }
            if (layer == LinkLayer.ETHERNET && level > MOST_PRIORITY) {
                throw refusal("serviceLevel", level, "on RoCE it is the priority of a VLAN, from 0 to 7");
            }
        }
        Integer label = wanted.flowLabel();
        if (device.isSoftware() && label != null && label > 0 && local instanceof Inet4Address) {
            throw refusal("flowLabel", label, NO_LABEL);
        }
    }

    /** Returns a path with the wishes. Those for a global route have no effect on a path without one. */
    AddressHandleAttributes applied(AddressHandleAttributes path) {
        Integer level = wanted.serviceLevel();
        AddressHandleAttributes made = level == null ? path : path.withServiceLevel(level);
        GlobalRoute route = path.route();
        return route == null
                ? made
                : made.withRoute(new GlobalRoute(
                        route.dgid(),
                        or(wanted.flowLabel(), route.flowLabel()),
                        route.sgidIndex(),
                        or(wanted.hopLimit(), route.hopLimit()),
                        or(wanted.trafficClass(), route.trafficClass())));
    }

    /** Checks that a path has the global route which the wishes need. */
    void requireRoute(AddressHandleAttributes path) {
        if (needRoute() && path.route() == null) {
            throw routeRefusal(
                    "the connection manager found a path within the subnet, which has no global route: leave it out,"
                            + " or choose ConnectMethod.TCP");
        }
    }

    private RdmaConnectException routeRefusal(String why) {
        if (wanted.hopLimit() != null) {
            return refusal("hopLimit", wanted.hopLimit(), why);
        }
        boolean label = wanted.flowLabel() != null;
        return refusal(label ? "flowLabel" : "trafficClass", label ? wanted.flowLabel() : wanted.trafficClass(), why);
    }

    private static int or(@Nullable Integer wish, int usual) {
        return wish == null ? usual : wish;
    }

    /** Returns whether a path needs a global route, which InfiniBand does without in a subnet. */
    boolean needRoute() {
        return wanted.trafficClass() != null || wanted.hopLimit() != null || wanted.flowLabel() != null;
    }

    /** Checks in RTR that the device kept the wanted fields of the global route. */
    void requireKept(QueuePair queuePair) {
        if (!needRoute() || device.isIwarp()) {
            return;
        }
        AddressHandleAttributes path = queuePair.query().path();
        GlobalRoute route = path == null ? null : path.route();
        if (route == null) {
            throw routeRefusal("the device does not report whether its packets have it: leave it out");
        }
        if (or(wanted.hopLimit(), route.hopLimit()) != route.hopLimit()) {
            throw refusal(
                    "hopLimit",
                    wanted.hopLimit(),
                    "the packets have " + route.hopLimit() + ". The kernel takes it from the host's route: set it"
                            + " there (ip route change … hoplimit N), and leave the option out");
        }
        if (or(wanted.flowLabel(), route.flowLabel()) != route.flowLabel()) {
            throw refusal("flowLabel", wanted.flowLabel(), "the packets have " + route.flowLabel() + ". " + NO_LABEL);
        }
        if (or(wanted.trafficClass(), route.trafficClass()) != route.trafficClass()) {
            throw refusal(
                    "trafficClass",
                    wanted.trafficClass(),
                    "the packets have " + route.trafficClass() + ": the administrator may have set one for all");
        }
    }
}
