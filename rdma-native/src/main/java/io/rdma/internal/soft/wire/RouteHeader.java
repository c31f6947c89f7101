package io.rdma.internal.soft.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The 40 bytes in front of a received datagram, {@code ibv_post_recv(3)} and IBA annex A17.9.3. Over IPv6 they are its
 * header. Over IPv4 they are 20 zeros and its header; fields that a UDP socket does not expose have the values that
 * Linux sends. If GIDs carry a port, they are an IPv6 header of the GIDs instead, which includes the port. Used by one
 * thread at a time.
 */
public final class RouteHeader {
    public static final int BYTES = 40;
    private static final int IPV4_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int UDP = 17;
    private static final short DONT_FRAGMENT = 0x4000;

    private final ByteBuffer header = ByteBuffer.allocateDirect(BYTES);
    private final long address = MemorySegment.ofBuffer(header).address();

    /**
     * Writes the header of a datagram.
     *
     * @param length bytes of its UDP payload
     * @param ported whether GIDs carry ports
     */
    public void write(UdpAddress from, UdpAddress to, int length, boolean ported) {
        header.clear();
        if (!ported && !from.ipv6) {
            header.putLong(0).putLong(0).putInt(0);
            header.putShort((short) (0x4500 | to.trafficClass)).putShort((short) (IPV4_BYTES + UDP_BYTES + length));
            header.putShort((short) 0).putShort(DONT_FRAGMENT);
            header.put((byte) to.hopLimit).put((byte) UDP).putShort((short) 0);
            header.putInt((int) from.low).putInt((int) to.low);
            header.putShort(IPV4_BYTES + 10, checksum());
        } else {
            header.putInt(0x60000000 | to.trafficClass << 20 | to.flowLabel).putShort((short) (UDP_BYTES + length));
            header.put((byte) UDP).put((byte) to.hopLimit);
            gid(from);
            gid(to);
        }
    }

    /** Writes a GID like {@link SoftAddress#gid}. */
    private void gid(UdpAddress of) {
        header.putLong(of.high);
        if (of.ipv6) {
            header.putLong(of.low);
        } else {
            int port = of.port == SoftAddress.ROCE_PORT ? 0 : of.port;
            header.putShort((short) port).putShort((short) -1).putInt((int) of.low);
        }
    }

    /** Computes the checksum of RFC 1071 over the IPv4 header, whose checksum field is 0. */
    private short checksum() {
        int sum = 0;
        for (int i = IPV4_BYTES; i < BYTES; i += Short.BYTES) {
            sum += header.getShort(i) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (short) ~(sum + (sum >>> 16));
    }

    /** Makes this header the payload of a packet. */
    public void into(Packet packet) {
        packet.reset(Opcode.SEND_ONLY, 0, 0);
        packet.addPiece(address, BYTES);
    }
}
