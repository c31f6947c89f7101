package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import java.nio.ByteBuffer;

/**
 * Parameters that each side sends to the other before the queue pairs connect. On the wire they are 48 bytes,
 * big-endian, in the order of the record, but with the versions of the offer before {@code receiveBuffers}. Every value
 * from the network is checked before it is used.
 *
 * @param qpNumber 24 bits
 * @param psn first packet sequence number, 24 bits
 * @param gid address of the port
 * @param lid LID, 0 on Ethernet
 * @param mtu active MTU of the port
 * @param initiatorDepth outgoing reads and atomics requested
 * @param responderResources incoming reads and atomics offered
 * @param credits whether the side counts credits, see docs/internals/protocol.md
 * @param receiveBuffers posted receives, without those for control frames
 * @param receiveBufferSize bytes of each
 * @param maxMessageSize bytes of the largest message that the side accepts
 * @param offer versions and capabilities
 */
record PeerParameters(
        int qpNumber,
        int psn,
        Gid gid,
        int lid,
        Mtu mtu,
        int initiatorDepth,
        int responderResources,
        boolean credits,
        int receiveBuffers,
        int receiveBufferSize,
        int maxMessageSize,
        Offer offer) {
    static final int BYTES = 48;
    private static final int CREDITS = 1;
    private static final int MAX_24 = 0xffffff;

    void encode(ByteBuffer to) {
        to.putInt(qpNumber).putInt(psn).put(gid.bytes()).putShort((short) lid);
        to.put((byte) mtu.code())
                .put((byte) initiatorDepth)
                .put((byte) responderResources)
                .put((byte) (credits ? CREDITS : 0))
                .put((byte) offer.lowest())
                .put((byte) offer.highest());
        to.putInt(receiveBuffers)
                .putInt(receiveBufferSize)
                .putInt(maxMessageSize)
                .putInt(offer.capabilities());
    }

    /**
     * Decodes the parameters of a peer.
     *
     * @param version of the header in front of them
     * @throws RdmaConnectException PROTOCOL_ERROR if a value is out of range
     */
    static PeerParameters decode(int version, ByteBuffer from) {
        int qpNumber = check("queue pair number", from.getInt(), 1, MAX_24);
        int psn = check("PSN", from.getInt(), 0, MAX_24);
        byte[] gid = new byte[16];
        from.get(gid);
        int lid = Short.toUnsignedInt(from.getShort());
        Mtu mtu = Mtu.of(check("MTU", from.get(), Mtu.BYTES_256.code(), Mtu.BYTES_4096.code()));
        int initiator = Byte.toUnsignedInt(from.get());
        int responder = Byte.toUnsignedInt(from.get());
        boolean credits = (from.get() & CREDITS) != 0; // other bits are reserved for later versions
        int lowest = Byte.toUnsignedInt(from.get());
        int highest = Byte.toUnsignedInt(from.get());
        int buffers = check("number of receive buffers", from.getInt(), 1, 1 << 16);
        int size = check("receive buffer size", from.getInt(), 1, 1 << 30);
        int largest = check("largest message", from.getInt(), size, 1 << 30);
        Offer offer = Offer.heard(version, lowest, highest, from.getInt());
        return new PeerParameters(
                qpNumber, psn, Gid.of(gid), lid, mtu, initiator, responder, credits, buffers, size, largest, offer);
    }

    static int check(String what, int value, int low, int high) {
        if (value < low || value > high) {
            throw new RdmaConnectException(
                    RdmaConnectException.Reason.PROTOCOL_ERROR,
                    "the peer sent an invalid " + what + ": " + value + ", it must be from " + low + " to " + high,
                    null);
        }
        return value;
    }
}
