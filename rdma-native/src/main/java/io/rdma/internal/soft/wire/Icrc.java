package io.rdma.internal.soft.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

// The identification of an IPv4 header is one of the fields that the CRC covers, and a UDP socket does not show it.
// CRCs are
// linear: CRC(identification i) ^ CRC(identification 0) = i * x^k mod P, k = bits from the identification's start to
// the
// CRC. So a difference divided by x^k is the identification if it fits into 16 bits, and shows damage if it does not.

/**
 * The invariant CRC of a RoCE version 2 packet, IBA annex A17: CRC-32 over 64 one-bits, then the IP, UDP and BTH
 * headers with the fields that change on the way set to ones, then the rest. One thread.
 */
public final class Icrc {
    public static final int BYTES = 4;
    /** What {@link #identification} says of a packet that is damaged. */
    static final int DAMAGED = -1;

    private static final int POLYNOMIAL = 0xedb88320; // bit 31 is the coefficient of x^0
    private static final int ONE = 1 << 31;
    private static final int INVERSE_OF_X = (ONE ^ POLYNOMIAL) << 1 | 1;
    /** From the start of the identification to the BTH. */
    private static final int COVERED_BEFORE_BTH = 24;

    private static final int UDP_HEADER = 8;
    private static final int RESERVED_OF_BTH = 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer pseudo = ByteBuffer.allocate(128);
    private final int[] divisors; // x^-k by the length from BTH to pad in words, 0 where not computed yet

    /** For packets of at most that many bytes from BTH to pad. */
    public Icrc(int maxLength) {
        divisors = new int[maxLength / 4 + 1];
    }

    /**
     * The ICRC of {@code length} bytes from BTH to pad at an offset of a buffer, whose byte 4 is put back;
     * {@code identification} is that of an IPv4 header.
     */
    public int compute(ByteBuffer packet, int at, int length, UdpAddress from, UdpAddress to, int identification) {
        pseudo.clear();
        pseudo.putLong(-1);
        int udpLength = UDP_HEADER + length + BYTES;
        if (from.ipv6) {
            pseudo.putInt(0x6fffffff).putShort((short) udpLength).put((byte) 17).put((byte) 0xff);
            pseudo.putLong(from.high).putLong(from.low).putLong(to.high).putLong(to.low);
        } else {
            pseudo.put((byte) 0x45).put((byte) 0xff).putShort((short) (20 + udpLength));
            pseudo.putShort((short) identification).putShort((short) 0x4000); // "don't fragment"
            pseudo.put((byte) 0xff).put((byte) 17).putShort((short) -1);
            pseudo.putInt((int) from.low).putInt((int) to.low);
        }
        pseudo.putShort((short) from.port).putShort((short) to.port);
        pseudo.putShort((short) udpLength).putShort((short) -1);
        crc.reset();
        crc.update(pseudo.array(), 0, pseudo.position());
        byte reserved = packet.get(at + RESERVED_OF_BTH);
        packet.put(at + RESERVED_OF_BTH, (byte) 0xff);
        packet.limit(at + length).position(at);
        crc.update(packet);
        packet.limit(packet.capacity());
        packet.put(at + RESERVED_OF_BTH, reserved);
        return (int) crc.getValue();
    }

    /** Whether a packet has the ICRC that follows it. */
    public boolean matches(ByteBuffer packet, int at, int length, UdpAddress from, UdpAddress to) {
        int difference = Integer.reverseBytes(packet.getInt(at + length)) ^ compute(packet, at, length, from, to, 0);
        // rdma_rxe and adapters number their datagrams; IPv6 has no such field.
        return difference == 0 || !from.ipv6 && identification(difference, length) != DAMAGED;
    }

    /**
     * The identification with which a packet has the CRC that it came with.
     *
     * @param difference of that CRC and the one computed with identification 0
     * @param length from BTH to pad, a multiple of 4
     * @return 0 to 65535, or {@link #DAMAGED} if none gives that CRC
     */
    int identification(int difference, int length) {
        int divisor = divisors[length / 4];
        if (divisor == 0) {
            divisor = power(INVERSE_OF_X, 8 * (COVERED_BEFORE_BTH + length));
            divisors[length / 4] = divisor;
        }
        int solution = multiply(difference, divisor);
        return solution >>> 16 == 0 ? Short.reverseBytes((short) solution) & 0xffff : DAMAGED;
    }

    private static int power(int base, int exponent) {
        int result = ONE;
        int square = base;
        for (int left = exponent; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                result = multiply(result, square);
            }
            square = multiply(square, square);
        }
        return result;
    }

    /** The product of two polynomials, modulo that of the CRC. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int left = a; left != 0; left <<= 1) {
            product ^= shifted & left >> 31;
            shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
        }
        return product;
    }
}
