package io.rdma.types;

/**
 * Attributes of a port, {@code ibv_query_port(3)}. Names are those of C.
 *
 * @param state logical state
 * @param maxMtu largest MTU that the port supports
 * @param activeMtu largest MTU that the link supports now
 * @param gidTableLength entries of the GID table
 * @param maxMessageSize bytes
 * @param badPkeyCounter packets dropped for a wrong partition key, up to 65,535
 * @param qkeyViolationCounter datagrams dropped for a wrong queue key, up to 65,535
 * @param pkeyTableLength entries of the partition table
 * @param lid base LID, 0 on Ethernet
 * @param smLid LID of the subnet manager
 * @param activeWidth code, see the man page
 * @param activeSpeed code, see the man page
 * @param physicalState code, see the man page
 * @param linkLayer InfiniBand or Ethernet
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        long maxMessageSize,
        int badPkeyCounter,
        int qkeyViolationCounter,
        int pkeyTableLength,
        int lid,
        int smLid,
        int activeWidth,
        int activeSpeed,
        int physicalState,
        LinkLayer linkLayer) {}
