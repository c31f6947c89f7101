package io.rdma.samples.support;

import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The local GID of a sample that connects queue pairs itself. It is chosen by type and address, never by a constant
 * index: on Ethernet, index 0 is a link-local address by rule.
 */
public final class LocalGid {
    private LocalGid() {}

    /**
     * Returns the GID of a port.
     *
     * @param context the device
     * @param port from 1
     * @return the best one
     * @throws RdmaException if the port has none, or the device speaks iWARP
     */
    public static GidTableEntry of(DeviceContext context, int port) {
        if (context.isIwarp()) {
            throw new RdmaException(context.name() + " speaks iWARP, whose queue pairs RDMA CM connects: this sample"
                    + " connects them itself, and needs another device");
        }
        return best(context.queryGidTable(), port, context.queryPort(port).linkLayer())
                .orElseThrow(() -> new RdmaException(
                        "port " + port + " of " + context.name() + " has no GID to use: see devinfo"));
    }

    /**
     * Chooses from a table of GIDs; on Ethernet, from those for RoCE version 2. IPv4 comes first, then global IPv6,
     * then link-local addresses.
     *
     * @param table of a device
     * @param port whose GIDs are candidates, from 1
     * @param layer of the port
     * @return empty if there is no candidate
     */
    public static Optional<GidTableEntry> best(List<GidTableEntry> table, int port, LinkLayer layer) {
        return table.stream()
                .filter(entry -> entry.port() == port && !entry.gid().isZero())
                .filter(entry -> layer != LinkLayer.ETHERNET || entry.type() == GidType.ROCE_V2)
                .min(Comparator.comparing((GidTableEntry entry) -> !entry.gid().isIpv4Mapped())
                        .thenComparing(entry -> entry.gid().isLinkLocal()));
    }
}
