package io.rdma.internal.soft.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Layout (struct cma_hdr): version u8 = 0, IP version u4, reserved u4, source port u16, source address 16 bytes,
// destination address 16 bytes; an IPv4 address is in the last 4.

/**
 * IP addressing of RDMA CM in front of the application's private data, IB specification volume 1, annex A11.
 *
 * @param source address and port of the active side
 * @param destination address that the active side connects to; the port is part of the service
 */
public record CmAddressing(InetSocketAddress source, InetAddress destination) {
    static final int BYTES = 36;
    private static final long PREFIX = 0x0000_0000_0100_0000L;
    private static final int ADDRESS = 16;

    /** Returns the service ID of a port in a port space. */
    public static long service(int portSpace, int port) {
        return (long) portSpace << 16 | port;
    }

    static int portSpace(long service) {
        return (int) (service >>> 16) & 0xffff;
    }

    static int port(long service) {
        return (int) service & 0xffff;
    }

    /** Returns whether a service ID is one of RDMA CM. */
    static boolean isOurs(long service) {
        return (service & 0xffff_ffff_ff00_0000L) == PREFIX;
    }

    /** Returns the private data of a message: this header, the application's data, then zeros. */
    public byte[] before(byte[] data, int size) {
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.put(1, (byte) (source.getAddress() instanceof Inet6Address ? 6 << 4 : 4 << 4));
        bytes.putShort(2, (short) source.getPort());
        put(bytes, 4, source.getAddress());
        put(bytes, 4 + ADDRESS, destination);
        return bytes.put(BYTES, data).array();
    }

    private static void put(ByteBuffer bytes, int at, InetAddress address) {
        byte[] ip = address.getAddress();
        bytes.put(at + ADDRESS - ip.length, ip);
    }

    /**
     * Reads the addressing at the start of private data.
     *
     * @return null if it is not there
     */
    static @Nullable CmAddressing read(byte[] privateData) {
        int ip = (privateData[1] & 0xff) >>> 4;
        if (privateData[0] != 0 || ip != 4 && ip != 6) {
            return null;
        }
        int length = ip == 4 ? 4 : ADDRESS;
        int port = Short.toUnsignedInt(ByteBuffer.wrap(privateData).getShort(2));
        try {
            return new CmAddressing(
                    new InetSocketAddress(address(privateData, 4 + ADDRESS - length, length), port),
                    address(privateData, 4 + 2 * ADDRESS - length, length));
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static InetAddress address(byte[] from, int at, int length) throws UnknownHostException {
        return InetAddress.getByAddress(Arrays.copyOfRange(from, at, at + length));
    }
}
