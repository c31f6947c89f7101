package io.rdma.types;

import java.util.Set;

/**
 * Attributes of a port, {@code ibv_query_port(3)}. Names are those of C.
 *
 * @param state logical state
 * @param maxMtu largest MTU that the port supports
 * @param activeMtu largest MTU that the link supports now
 * @param gidTableLength entries of the GID table
 * @param portCapFlags {@code IBV_PORT_*}, see {@link #capabilities}
 * @param maxMessageSize bytes
 * @param badPkeyCounter packets dropped for a wrong partition key, up to 65,535
 * @param qkeyViolationCounter datagrams dropped for a wrong queue key, up to 65,535
 * @param pkeyTableLength entries of the partition table
 * @param lid base LID, 0 on Ethernet
 * @param smLid LID of the subnet manager
 * @param lmc number of low LID bits that are used as path bits: the port has 2 to the power of {@code lmc} LIDs
 * @param maxVlNum code of the number of virtual lanes
 * @param smSl service level of the subnet manager
 * @param subnetTimeout longest time of a packet through the subnet; exponent, 4.096 us times 2 to the power of it
 * @param initTypeReply type of initialization by the subnet manager
 * @param activeWidth code, see the man page
 * @param activeSpeed code, see the man page
 * @param physicalState code, see the man page
 * @param linkLayer InfiniBand or Ethernet
 * @param portCapFlags2 bits of the second mask of capabilities
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        int portCapFlags,
        long maxMessageSize,
        int badPkeyCounter,
        int qkeyViolationCounter,
        int pkeyTableLength,
        int lid,
        int smLid,
        int lmc,
        int maxVlNum,
        int smSl,
        int subnetTimeout,
        int initTypeReply,
        int activeWidth,
        int activeSpeed,
        int physicalState,
        LinkLayer linkLayer,
        int portCapFlags2) {

    /**
     * Returns the capabilities of both masks.
     *
     * @return the constants whose bits are in {@code portCapFlags} and {@code portCapFlags2}
     */
    public Set<PortCapability> capabilities() {
        return PortCapability.of(portCapFlags, portCapFlags2);
    }
}
