package io.rdma.internal.connect;

import io.rdma.types.Errno;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import java.net.InetAddress;

/** Selection of the local GID by type and address, never by a constant index. */
final class GidSelector {
    private GidSelector() {}

    /**
     * Returns the best entry of a port's GID table; of RoCE, of its version 2 entries. The local address of
     * the exchange comes first, then IPv4, then global IPv6, then link-local addresses.
     */
    static GidTableEntry select(DeviceContext context, int port, LinkLayer layer, InetAddress local) {
        GidTableEntry best = null;
        for (GidTableEntry entry : context.queryGidTable()) {
            boolean usable = entry.port() == port
                    && !entry.gid().isZero()
                    && (layer != LinkLayer.ETHERNET || context.isIwarp() || entry.type() == GidType.ROCE_V2);
            if (usable && (best == null || rank(entry, local) < rank(best, local))) {
                best = entry;
            }
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
