package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.AlternatePath;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

// Invariant: as any wish for a path, this one is fulfilled, or the connection fails. So both sides ask for an alternate
// path, or neither.

/** Alternate path that the options of a connection ask for, while the exchange over TCP makes the connection. */
final class AlternateWish {
    private static final String OPTION = "alternateGidAddress";
    private static final String PEER_OPTION = "peerAlternateGidAddress";

    private final DeviceContext device;
    private final ConnectionOptions options;
    private final InetAddress address;
    private final PathWishes wishes;
    private final LinkLayer layer;
    private final GidTableEntry gid;
    private final int partitionIndex; // asked for here, because the device may be closed when a server arms the path

    private AlternateWish(DeviceContext device, ConnectionOptions options, InetAddress address) {
        this.device = device;
        this.options = options;
        this.address = address;
        wishes = new PathWishes(device, options);
        layer = device.queryPort(wishes.port(address)).linkLayer();
        gid = find();
        partitionIndex = wishes.partitionIndex(gid.port());
    }

    /**
     * Returns the alternate path that options ask for, or null.
     *
     * @throws RdmaConnectException DEVICE if the device has no such GID
     */
    static @Nullable AlternateWish of(DeviceContext device, ConnectionOptions options) {
        InetAddress address = options.path().alternateGidAddress();
        return address == null ? null : new AlternateWish(device, options, address);
    }

    /** Refuses an alternate path of a device whose connections do not migrate. */
    static void requireMigration(DeviceContext device, ConnectionOptions options) {
        InetAddress address = wanted(device, options);
        if (address == null) {
            return;
        }
        if (!device.queryDevice().capabilities().contains(DeviceCapability.AUTO_PATH_MIG)) {
            throw refusal(
                    device,
                    address,
                    "its connections do not migrate (IBV_DEVICE_AUTO_PATH_MIG): leave it out, and connect again when a"
                            + " connection is lost");
        }
    }

    /** Refuses an alternate path where the connection manager makes the connection: its interface has none. */
    static void requireNone(DeviceContext device, ConnectionOptions options) {
        InetAddress address = wanted(device, options);
        if (address != null) {
            throw refusal(
                    device,
                    address,
                    "RDMA CM sets no alternate path, and datagrams have none: choose ConnectMethod.TCP for a"
                            + " connection, or leave it out");
        }
    }

    private static @Nullable InetAddress wanted(DeviceContext device, ConnectionOptions options) {
        InetAddress address = options.path().alternateGidAddress();
        InetAddress peer = options.path().peerAlternateGidAddress();
        if (address == null && peer != null) {
            throw PathWishes.refusal(
                    device,
                    Reason.DEVICE,
                    PEER_OPTION,
                    peer.getHostAddress(),
                    "this side has no alternate path: set the path's " + OPTION + " too, or leave it out");
        }
        return address;
    }

    /** Returns the offer of a side with these options. */
    static Offer offer(Offer usual, ConnectionOptions options) {
        return options.path().alternateGidAddress() == null ? usual : usual.and(Offer.ALTERNATE_PATHS);
    }

    /**
     * Checks that both sides ask for an alternate path, or neither.
     *
     * @throws RdmaConnectException ALTERNATE_PATH if they differ
     */
    static void requireSame(Offer local, Offer peer) {
        boolean here = local.has(Offer.ALTERNATE_PATHS);
        if (here != peer.has(Offer.ALTERNATE_PATHS)) {
            throw new RdmaConnectException(
                    Reason.ALTERNATE_PATH,
                    (here ? "this side has" : "the peer has") + " an alternate path, the other side has none:"
                            + " set the path's " + OPTION + " on both sides, or on neither",
                    null);
        }
    }

    private static RdmaConnectException refusal(DeviceContext device, InetAddress address, String why) {
        return PathWishes.refusal(device, Reason.DEVICE, OPTION, address.getHostAddress(), why);
    }

    private GidTableEntry find() {
        GidType type = options.path().gidType();
        PathOptions wanted = PathOptions.DEFAULT.withGidAddress(address);
        return device.queryGidTable().stream()
                .filter(entry -> !entry.gid().isZero() && GidSelector.fits(device, entry, wanted))
                .filter(entry -> type != null
                        ? type == entry.type()
                        : layer != LinkLayer.ETHERNET || entry.type() == GidType.ROCE_V2)
                .findFirst()
                .orElseThrow(() -> refusal(
                        device,
                        address,
                        "no GID of any port is of this address: ask for one that ibv_devinfo -v lists, or give a"
                                + " network interface that address"));
    }

    /**
     * Returns this side's end of the path.
     *
     * @param used GID of the connection's path
     * @throws RdmaConnectException DEVICE if the alternate path would start there as well
     */
    AlternateEnd local(Gid used) {
        if (gid.gid().equals(used)) {
            throw refusal(
                    device,
                    address,
                    "the connection itself is made by this address, so nothing would be protected: set the path's"
                            + " gidAddress to another one, or connect to another one");
        }
        return new AlternateEnd(gid.gid(), device.queryPort(gid.port()).lid());
    }

    /**
     * Sets the path on a connected endpoint and has the device arm it.
     *
     * @param peer the peer's end of the path
     * @param used the peer's GID of the connection's path
     * @param exchange shows the peer's address, and whether the peer has authenticated
     * @throws RdmaConnectException AUTHENTICATION if the peer's address may be that of another host, or is not the one
     *     that the options name; ALTERNATE_PATH if both paths lead to one address; DEVICE if the device takes no
     *     alternate path, as Linux on RoCE
     */
    void arm(Endpoint endpoint, AlternateEnd peer, Gid used, Exchange exchange) {
        if (peer.gid().equals(used)) {
            throw new RdmaConnectException(
                    Reason.ALTERNATE_PATH,
                    "the peer's alternate path ends at the GID of its connection, " + used
                            + ", so nothing would be protected: set the peer's " + OPTION + " to another address",
                    null);
        }
        InetAddress expected = options.path().peerAlternateGidAddress();
        if (expected != null) {
            requireExpected(peer.gid(), expected);
        } else if (layer == LinkLayer.ETHERNET && options.verifyPeerGid() && !exchange.isAuthenticated()) {
            PeerGid.check(
                    endpoint.loop().environment().network(),
                    peer.gid(),
                    exchange.remoteAddress().getAddress(),
                    device.isSoftware(),
                    ", which is that of its alternate path. Name that address by the path's " + PEER_OPTION
                            + ", or authenticate the peer by TLS (ConnectionOptions.withTls)");
        }
        AddressHandleAttributes path = layer != LinkLayer.ETHERNET && !wishes.needRoute()
                ? AddressHandleAttributes.of(peer.lid(), gid.port())
                : AddressHandleAttributes.of(GlobalRoute.to(peer.gid(), gid.index()), gid.port())
                        .withDlid(peer.lid());
        AlternatePath alternate =
                new AlternatePath(wishes.applied(path), partitionIndex, gid.port(), options.timeout());
        try {
            endpoint.migration().arm(alternate);
        } catch (VerbsException e) {
            throw new RdmaConnectException(
                    Reason.DEVICE,
                    "the path's " + OPTION + " is not possible on " + device.name() + ", which takes no alternate path"
                            + " (IBV_QP_ALT_PATH): " + e.getMessage() + ". Linux has them on InfiniBand alone: on RoCE"
                            + " leave it out, and connect again when a connection is lost",
                    e);
        }
    }

    private void requireExpected(Gid peer, InetAddress expected) {
        if (!PeerGid.isOf(expected, peer, device.isSoftware())) {
            throw new RdmaConnectException(
                    Reason.AUTHENTICATION,
                    "the peer's alternate path ends at "
                            + PeerGid.address(peer, device.isSoftware()).getHostAddress()
                            + ", which is not this path's " + PEER_OPTION + ": set that to the peer's " + OPTION,
                    null);
        }
    }
}
