package io.rdma.verbs;

import io.rdma.internal.ffi.Cma;

/**
 * Where a datagram goes, or came from: what {@code wr.ud} of {@code ibv_post_send(3)} names, with the path as
 * attributes, of which the engine makes an {@link AddressHandle}.
 *
 * @param path to the device; or to a multicast group
 * @param qpNumber queue pair there, 24 bits; 0xffffff for a group
 * @param qkey of the queue pair there; one with the highest bit set stands for the sender's own
 */
public record DatagramAddress(AddressHandleAttributes path, int qpNumber, int qkey) {
    /** The queue pair number that stands for all members of a group. */
    public static final int MULTICAST_QP_NUMBER = 0xffffff;

    /**
     * The key of every queue pair in RDMA CM's UDP port space, {@code RDMA_UDP_QKEY} of {@code rdma_cma.h}: no secret.
     */
    public static final int UDP_QKEY = Cma.UDP_QKEY;

    private static final int MOST = 0xffffff;

    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if it does not fit into 24 bits
     */
    public DatagramAddress {
        AddressHandleAttributes.range("queue pair number", qpNumber, MOST);
    }

    /** As devices print it: who, and which queue pair. */
    @Override
    public String toString() {
        GlobalRoute route = path.route();
        String who =
                route == null ? "LID " + path.dlid() : route.dgid().toAddress().getHostAddress();
        return who + ", queue pair 0x" + Integer.toHexString(qpNumber);
    }
}
