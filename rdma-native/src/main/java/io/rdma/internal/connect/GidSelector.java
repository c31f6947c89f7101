package io.rdma.internal.connect;

import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.types.Errno;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Selection of the local GID by type and address, never by a constant index. */
final class GidSelector {
    private GidSelector() {}

    /**
     * Returns the best entry of a port's GID table; of RoCE, of its version 2 entries. The local address of
     * the exchange comes first, then IPv4, then global IPv6, then link-local addresses.
     *
     * @param wanted may ask for another type and for an address: then no other entry will do
     */
    static GidTableEntry select(
            DeviceContext context, int port, LinkLayer layer, InetAddress local, PathOptions wanted) {
        InetAddress address = wanted.gidAddress();
        GidTableEntry best = null;
        List<String> others = new ArrayList<>();
        for (GidTableEntry entry : context.queryGidTable()) {
            boolean there = entry.port() == port && !entry.gid().isZero();
            boolean usual = layer != LinkLayer.ETHERNET || context.isIwarp() || entry.type() == GidType.ROCE_V2;
            boolean usable = there && (usual || wanted.gidType() != null) && fits(context, entry, wanted);
            if (there && !usable) {
                others.add(PeerGid.address(entry.gid(), context.isSoftware()).getHostAddress() + " " + entry.type());
            }
            if (usable && (best == null || rank(entry, local) < rank(best, local))) {
                best = entry;
            }
        }
        if (best == null && (wanted.gidType() != null || wanted.gidAddress() != null)) {
            throw new RdmaConnectException(
                    RdmaConnectException.Reason.DEVICE,
                    "port " + port + " of " + context.name() + " has no GID of the path's"
                            + (wanted.gidType() == null ? "" : " gidType " + wanted.gidType())
                            + (address == null ? "" : " gidAddress " + address.getHostAddress()) + ". It has "
                            + others + ": ask for one of these, or give its network interface that address",
                    null);
        }
        if (best == null) {
            throw new VerbsException(
                    "ibv_query_gid_table",
                    Errno.ENOENT,
                    "Port " + port + " of " + context.name()
                            + " has no usable GID: give its network interface an IP address");
        }
        return best;
    }

    /** Returns whether an entry is one that a path asks for. */
    static boolean fits(DeviceContext context, GidTableEntry entry, PathOptions wanted) {
        InetAddress address = wanted.gidAddress();
        return (wanted.gidType() == null || wanted.gidType() == entry.type())
                && (address == null || PeerGid.isOf(address, entry.gid(), context.isSoftware()));
    }

    /** Returns a path that asks for the same GID type, and for no address. */
    static PathOptions anyAddress(PathOptions wanted) {
        GidType type = wanted.gidType();
        return type == null ? PathOptions.DEFAULT : PathOptions.DEFAULT.withGidType(type);
    }

    private static int rank(GidTableEntry entry, InetAddress local) {
        if (entry.gid().toAddress().equals(local)) {
            return 0;
        }
        if (entry.gid().isIpv4Mapped()) {
            return 1;
        }
        return entry.gid().isLinkLocal() ? 3 : 2;
    }
}
