package io.rdma.internal.soft.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

// The CRC covers the identification of an IPv4 header, which a UDP socket does not expose. CRCs are linear:
// CRC(identification i) ^ CRC(identification 0) = i * x^k mod P, where k is the number of bits from the start of the
// identification to the CRC. So the difference divided by x^k is the identification if it fits into 16 bits. If it does
// not fit, the packet is damaged.

/**
 * The invariant CRC of a RoCE version 2 packet, IBA annex A17: CRC-32 over 64 one-bits, then the IP, UDP and BTH
 * headers with the fields that change in transit set to ones, then the rest. Not thread-safe.
 */
public final class Icrc {
    public static final int BYTES = 4;
    /** Result of {@link #identification} for a damaged packet. */
    static final int DAMAGED = -1;

    private static final int POLYNOMIAL = 0xedb88320; // bit 31 is the coefficient of x^0
    private static final int ONE = 1 << 31;
    private static final int INVERSE_OF_X = (ONE ^ POLYNOMIAL) << 1 | 1;
    /** Bytes from the start of the identification to the BTH. */
    private static final int COVERED_BEFORE_BTH = 24;

    private static final int UDP_HEADER = 8;
    private static final int RESERVED_OF_BTH = 4;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer pseudo = ByteBuffer.allocate(128);
    private final int[] divisors; // x^-k by the length from BTH to pad in words; 0 if not computed yet

    /** Creates an instance for packets of at most that many bytes from BTH to pad. */
    public Icrc(int maxLength) {
        divisors = new int[maxLength / 4 + 1];
    }

    /**
     * Computes the ICRC of {@code length} bytes from BTH to pad at an offset of a buffer. Changes byte 4 of the packet
     * and restores it. {@code identification} is that of the IPv4 header.
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

    /** Returns whether the ICRC after a packet is correct. */
    public boolean matches(ByteBuffer packet, int at, int length, UdpAddress from, UdpAddress to) {
        int difference = Integer.reverseBytes(packet.getInt(at + length)) ^ compute(packet, at, length, from, to, 0);
        // rdma_rxe and adapters number their datagrams; IPv6 has no such field.
        return difference == 0 || !from.ipv6 && identification(difference, length) != DAMAGED;
    }

    /**
     * Returns the identification for which a packet's received CRC is correct.
     *
     * @param difference the received CRC xor the one computed with identification 0
     * @param length bytes from BTH to pad, a multiple of 4
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

    /** Multiplies two polynomials, modulo that of the CRC. */
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
