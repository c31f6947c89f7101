package io.rdma.connect;

import io.rdma.types.GidType;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Path of a connection's packets: their quality of service, and the port, partition and GID that they leave from.
 * Immutable. A part is null unless it was set: then the device or the connection manager chooses it. Each side's path
 * is that of the packets which this side sends, so both sides set it.
 *
 * <p>A part that cannot be had fails the connection, or the bind of a datagram socket, with an {@link
 * RdmaConnectException} that names it and the remedy (docs/guide/connecting.md says which
 * device and which way of connecting has what). In short:
 *
 * <ul>
 *   <li>RDMA CM chooses partition and type of GID by itself, and the port by the address. A connection fails if RDMA CM
 *       has chosen others. {@link ConnectMethod#AUTOMATIC} leaves RDMA CM out where a partition or a type is set.
 *   <li>On RoCE the service level is the priority of a VLAN, 0 to 7, and the hop limit is that of the host's route.
 *   <li>iWARP has a traffic class, a port and an address only.
 *   <li>{@code soft0} has no service level. It has a flow label over IPv6 only.
 * </ul>
 *
 * @param serviceLevel 0 to 15; on RoCE the priority, 0 to 7
 * @param trafficClass 8 bits: the DSCP, which is the upper six bits, and the bits of congestion notification
 * @param hopLimit number of routers that a packet may pass, 1 to 255
 * @param flowLabel 20 bits; on RoCE several adapters derive the UDP source port from it. 0 leaves the label of IPv6
 *     to the host, which may make one up
 * @param partitionKey P_Key of 16 bits. Its lower 15 bits name the partition; a full membership is preferred
 * @param partitionIndex index in the port's table of P_Keys, 0 to 65535; instead of {@code partitionKey}
 * @param port port of the device, 1 to 255
 * @param gidType type of the local GID
 * @param gidAddress IP address of the local GID
 * @param alternateGidAddress IP address of another local GID, of any port: from there leads an alternate path, to which
 *     the connection migrates when its path is lost. Both sides set one, and connect by {@link ConnectMethod#TCP}. A
 *     connection from that address itself is refused
 * @param peerAlternateGidAddress {@code alternateGidAddress} of the peer, if this side knows it: a peer with another
 *     one is refused. With it {@link ConnectionOptions#verifyPeerGid} accepts the alternate path to another host
 *     without TLS. Without TLS every client that reaches a listener can name it, and on InfiniBand any LID with it: use
 *     TLS there, or a firewall
 */
public record PathOptions(
        @Nullable Integer serviceLevel,
        @Nullable Integer trafficClass,
        @Nullable Integer hopLimit,
        @Nullable Integer flowLabel,
        @Nullable Integer partitionKey,
        @Nullable Integer partitionIndex,
        @Nullable Integer port,
        @Nullable GidType gidType,
        @Nullable InetAddress gidAddress,
        @Nullable InetAddress alternateGidAddress,
        @Nullable InetAddress peerAlternateGidAddress) {
    /** Default: nothing is set. */
    public static final PathOptions DEFAULT =
            new PathOptions(null, null, null, null, null, null, null, null, null, null, null);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number does not fit into its bits, or both a key and an index are set
     */
    public PathOptions {
        range("serviceLevel", serviceLevel, 0, 15);
        range("trafficClass", trafficClass, 0, 255);
        range("hopLimit", hopLimit, 1, 255);
        range("flowLabel", flowLabel, 0, 0xfffff);
        range("partitionKey", partitionKey, 1, 0xffff);
        range("partitionIndex", partitionIndex, 0, 0xffff);
        range("port", port, 1, 255);
        if (partitionKey != null && partitionIndex != null) {
            throw new IllegalArgumentException("set either partitionKey or partitionIndex, not both");
        }
        if (alternateGidAddress != null && alternateGidAddress.equals(gidAddress)) {
            throw new IllegalArgumentException("alternateGidAddress must differ from gidAddress: " + gidAddress);
        }
    }

    private static void range(String name, @Nullable Integer value, int low, int high) {
        if (value != null && (value < low || value > high)) {
            throw new IllegalArgumentException(name + " must be from " + low + " to " + high + ": " + value);
        }
    }

    /**
     * Returns a copy with a service level.
     *
     * @param level see the record
     * @return a copy
     */
    public PathOptions withServiceLevel(int level) {
        return copy(e -> e.serviceLevel = level);
    }

    /**
     * Returns a copy with a traffic class.
     *
     * @param octet see the record
     * @return a copy
     */
    public PathOptions withTrafficClass(int octet) {
        return copy(e -> e.trafficClass = octet);
    }

    /**
     * Returns a copy with the traffic class of a differentiated services code point: four times the code point, without
     * congestion notification.
     *
     * @param codePoint DSCP, 0 to 63
     * @return a copy
     * @throws IllegalArgumentException if the code point does not fit into 6 bits
     */
    public PathOptions withDscp(int codePoint) {
        range("dscp", codePoint, 0, 63);
        return withTrafficClass(codePoint << 2);
    }

    /**
     * Returns a copy with a hop limit.
     *
     * @param limit see the record
     * @return a copy
     */
    public PathOptions withHopLimit(int limit) {
        return copy(e -> e.hopLimit = limit);
    }

    /**
     * Returns a copy with a flow label.
     *
     * @param label see the record
     * @return a copy
     */
    public PathOptions withFlowLabel(int label) {
        return copy(e -> e.flowLabel = label);
    }

    /**
     * Returns a copy with a partition by its key, instead of one by its index.
     *
     * @param key see the record
     * @return a copy
     */
    public PathOptions withPartitionKey(int key) {
        return copy(e -> {
            e.partitionKey = key;
            e.partitionIndex = null;
        });
    }

    /**
     * Returns a copy with a partition by its index, instead of one by its key.
     *
     * @param index see the record
     * @return a copy
     */
    public PathOptions withPartitionIndex(int index) {
        return copy(e -> {
            e.partitionKey = null;
            e.partitionIndex = index;
        });
    }

    /**
     * Returns a copy with a port.
     *
     * @param number see the record
     * @return a copy
     */
    public PathOptions withPort(int number) {
        return copy(e -> e.port = number);
    }

    /**
     * Returns a copy with a type of GID.
     *
     * @param type see the record
     * @return a copy
     */
    public PathOptions withGidType(GidType type) {
        return copy(e -> e.gidType = type);
    }

    /**
     * Returns a copy with the address of a GID.
     *
     * @param address see the record
     * @return a copy
     */
    public PathOptions withGidAddress(InetAddress address) {
        return copy(e -> e.gidAddress = address);
    }

    /**
     * Returns a copy with the address of a GID from which an alternate path leads.
     *
     * @param address see the record
     * @return a copy
     */
    public PathOptions withAlternateGidAddress(InetAddress address) {
        return copy(e -> e.alternateGidAddress = address);
    }

    /**
     * Returns a copy with the address of the peer's GID to which an alternate path leads.
     *
     * @param address see the record
     * @return a copy
     */
    public PathOptions withPeerAlternateGidAddress(InetAddress address) {
        return copy(e -> e.peerAlternateGidAddress = address);
    }

    /** Mutable values from which a copy is made. */
    private static final class Edit {
        private @Nullable Integer serviceLevel;
        private @Nullable Integer trafficClass;
        private @Nullable Integer hopLimit;
        private @Nullable Integer flowLabel;
        private @Nullable Integer partitionKey;
        private @Nullable Integer partitionIndex;
        private @Nullable Integer port;
        private @Nullable GidType gidType;
        private @Nullable InetAddress gidAddress;
        private @Nullable InetAddress alternateGidAddress;
        private @Nullable InetAddress peerAlternateGidAddress;

        private Edit(PathOptions from) {
            serviceLevel = from.serviceLevel;
            trafficClass = from.trafficClass;
            hopLimit = from.hopLimit;
            flowLabel = from.flowLabel;
            partitionKey = from.partitionKey;
            partitionIndex = from.partitionIndex;
            port = from.port;
            gidType = from.gidType;
            gidAddress = from.gidAddress;
            alternateGidAddress = from.alternateGidAddress;
            peerAlternateGidAddress = from.peerAlternateGidAddress;
        }
    }

    private PathOptions copy(Consumer<Edit> change) {
        Edit e = new Edit(this);
        change.accept(e);
        return new PathOptions(
                e.serviceLevel,
                e.trafficClass,
                e.hopLimit,
                e.flowLabel,
                e.partitionKey,
                e.partitionIndex,
                e.port,
                e.gidType,
                e.gidAddress,
                e.alternateGidAddress,
                e.peerAlternateGidAddress);
    }
}
