package io.rdma.verbs;

import io.rdma.types.Gid;

/**
 * The global route of a path, {@code struct ibv_global_route} in {@code ibv_create_ah(3)}: the fields of the GRH, or of
 * the IP header on RoCE version 2.
 *
 * @param dgid GID of the destination, or of a multicast group
 * @param flowLabel 20 bits
 * @param sgidIndex index of the local GID from which to send
 * @param hopLimit number of routers that a packet may pass, 0 to 255
 * @param trafficClass 0 to 255; on RoCE version 2 the DSCP and ECN bits
 */
public record GlobalRoute(Gid dgid, int flowLabel, int sgidIndex, int hopLimit, int trafficClass) {
    private static final int HOP_LIMIT = 64;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number does not fit into its bits
     */
    public GlobalRoute {
        AddressHandleAttributes.range("flow label", flowLabel, 0xfffff);
        AddressHandleAttributes.range("GID index", sgidIndex, 255);
        AddressHandleAttributes.range("hop limit", hopLimit, 255);
        AddressHandleAttributes.range("traffic class", trafficClass, 255);
    }

    /**
     * Returns a route with hop limit 64, flow label 0 and traffic class 0.
     *
     * @param dgid GID of the destination
     * @param sgidIndex index of the local GID
     * @return the route
     */
    public static GlobalRoute to(Gid dgid, int sgidIndex) {
        return new GlobalRoute(dgid, 0, sgidIndex, HOP_LIMIT, 0);
    }
}
