package io.rdma.internal.connect;

import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.types.GidTableEntry;
import io.rdma.types.PortAttributes;
import io.rdma.verbs.DeviceContext;
import java.net.InetAddress;
import java.util.List;

/** Selection of the local port where the options name none, and the check of the one that is used. */
final class PortSelector {
    private static final int FIRST = 1;

    private PortSelector() {}

    /**
     * Returns the best port of a device. A usable port comes first, then one with the GID that the path asks for,
     * then one with the local address of the exchange, then the lower number. A device with one port is not asked.
     */
    static int select(DeviceContext device, InetAddress local, PathOptions wanted) {
        int ports = device.queryDevice().physPortCnt();
        List<GidTableEntry> gids = ports > 1 ? device.queryGidTable() : List.of();
        int best = FIRST;
        int bestRank = Integer.MAX_VALUE;
        for (int port = FIRST; ports > 1 && port <= ports; port++) {
            int rank = rank(device, port, gids, local, wanted);
            if (rank < bestRank) {
                best = port;
                bestRank = rank;
            }
        }
        return best;
    }

    /**
     * Returns the attributes of the port of a connection.
     *
     * @throws RdmaConnectException DEVICE if it is not usable
     */
    static PortAttributes requireUsable(DeviceContext device, int port) {
        PortAttributes attributes = device.queryPort(port);
        if (!attributes.state().isUsable()) {
            throw new RdmaConnectException(
                    Reason.DEVICE,
                    "port " + port + " of " + device.name() + " is " + attributes.state()
                            + ", not ACTIVE: bring its link up, or leave the path's port out, so that an ACTIVE port"
                            + " with the local address is taken",
                    null);
        }
        return attributes;
    }

    private static int rank(
            DeviceContext device, int port, List<GidTableEntry> gids, InetAddress local, PathOptions wanted) {
        boolean usable = device.queryPort(port).state().isUsable();
        boolean hasWanted = false;
        boolean hasLocal = false;
        for (GidTableEntry entry : gids) {
            if (entry.port() == port && !entry.gid().isZero()) {
                hasWanted |= GidSelector.fits(device, entry, wanted);
                hasLocal |= entry.gid().toAddress().equals(local);
            }
        }
        return (usable ? 0 : 4) + (hasWanted ? 0 : 2) + (hasLocal ? 0 : 1);
    }
}
