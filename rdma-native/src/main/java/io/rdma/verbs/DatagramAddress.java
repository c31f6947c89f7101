package io.rdma.verbs;

import io.rdma.internal.ibv.Cma;

/**
 * The destination or the source of a datagram, {@code wr.ud} of {@code ibv_post_send(3)}. It holds the path as
 * attributes, from which the engine creates an {@link AddressHandle}.
 *
 * @param path path to the remote port or to a multicast group
 * @param qpNumber number of the remote queue pair, 24 bits; 0xffffff for a multicast group
 * @param qkey queue key of the remote queue pair; a key with the highest bit set stands for the key of the sending
 *     queue pair
 */
public record DatagramAddress(AddressHandleAttributes path, int qpNumber, int qkey) {
    /** The queue pair number that addresses all members of a multicast group. */
    public static final int MULTICAST_QP_NUMBER = 0xffffff;

    /**
     * The queue key of every queue pair in the UDP port space of RDMA CM, {@code RDMA_UDP_QKEY} of {@code rdma_cma.h}.
     * It is not secret.
     */
    public static final int UDP_QKEY = Cma.UDP_QKEY;

    private static final int MOST = 0xffffff;

    /**
     * Checks the queue pair number.
     *
     * @throws IllegalArgumentException if it does not fit into 24 bits
     */
    public DatagramAddress {
        AddressHandleAttributes.range("queue pair number", qpNumber, MOST);
    }

    /** Returns the IP address or LID and the queue pair number, as devices print them. */
    @Override
    public String toString() {
        GlobalRoute route = path.route();
        String who =
                route == null ? "LID " + path.dlid() : route.dgid().toAddress().getHostAddress();
        return who + ", queue pair 0x" + Integer.toHexString(qpNumber);
    }
}
