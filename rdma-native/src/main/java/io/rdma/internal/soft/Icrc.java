package io.rdma.internal.soft;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC of a RoCE version 2 packet, IBA annex A17: CRC-32 over 64 one-bits, then the IP, UDP and BTH headers with the fields that
 * change on the way set to ones, then the rest. One thread.
 */
final class Icrc {
    static final int BYTES = 4;
    private static final int UDP_HEADER = 8;
    private static final int RESERVED_OF_BTH = 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer pseudo = ByteBuffer.allocate(64);

    /** The ICRC of {@code length} bytes from BTH to pad, at the start of the buffer, whose byte 4 is put back; {@code identification} is that of an IPv4 header. */
    int compute(ByteBuffer packet, int length, InetSocketAddress from, InetSocketAddress to, int identification) {
        pseudo.clear();
        pseudo.putLong(-1);
        byte[] source = from.getAddress().getAddress();
        byte[] target = to.getAddress().getAddress();
        int udpLength = UDP_HEADER + length + BYTES;
        if (from.getAddress() instanceof Inet4Address) {
            pseudo.put((byte) 0x45).put((byte) 0xff).putShort((short) (20 + udpLength));
            pseudo.putShort((short) identification).putShort((short) 0x4000); // "don't fragment"
            pseudo.put((byte) 0xff).put((byte) 17).putShort((short) -1);
        } else {
            pseudo.putInt(0x6fffffff).putShort((short) udpLength).put((byte) 17).put((byte) 0xff);
        }
        pseudo.put(source).put(target);
        pseudo.putShort((short) from.getPort()).putShort((short) to.getPort());
        pseudo.putShort((short) udpLength).putShort((short) -1);
        crc.reset();
        crc.update(pseudo.array(), 0, pseudo.position());
        byte reserved = packet.get(RESERVED_OF_BTH);
        packet.put(RESERVED_OF_BTH, (byte) 0xff);
        int limit = packet.limit();
        packet.position(0).limit(length);
        crc.update(packet);
        packet.limit(limit);
        packet.put(RESERVED_OF_BTH, reserved);
        return (int) crc.getValue();
    }
}
