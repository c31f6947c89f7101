package io.rdma.internal.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Invariant CRC of captured packets: two examples of scapy's RoCE layer, which are a datagram of an unknown adapter and
 * a congestion notification of a ConnectX-4 Lx, and an acknowledge of Linux's rdma_rxe to this device.
 */
class IcrcTest {
    private static final int MAX_LENGTH = 64;
    /** The byte of the BTH that routers may change. */
    private static final int NOT_COVERED = 4;

    @ParameterizedTest
    @CsvSource({
        // from, port, to, identification, BTH to pad, ICRC
        "192.168.0.7, 49152, 192.168.0.7, 0x0478,"
                + " 2460ffff 000000d3 00cf1710 4630818be28935d90e9a95505401be885e500000, 78f353f3",
        "10.0.17.1, 0, 10.0.18.1, 0x718c," + " 8100ffff 40000118 00000000 00000000000000000000000000000000, 82fd002a",
        "10.77.0.1, 61501, 10.77.0.2, 0x0fbd, 1100ffff 00e62c4a 00b2a189 1f000001, b5a5bd9c"
    })
    void capturedPacketsMatch(String from, int port, String to, String identification, String packet, String expected)
            throws UnknownHostException {
        byte[] bytes = HexFormat.of().parseHex(packet.replace(" ", ""));
        UdpAddress source = new UdpAddress(new InetSocketAddress(InetAddress.getByName(from), port));
        UdpAddress target = new UdpAddress(new InetSocketAddress(InetAddress.getByName(to), SoftAddress.ROCE_PORT));
        int onTheWire = Integer.reverseBytes(HexFormat.fromHexDigits(expected));
        Icrc icrc = new Icrc(MAX_LENGTH);
        int crc = icrc.compute(ByteBuffer.wrap(bytes), 0, bytes.length, source, target, Integer.decode(identification));
        assertThat(crc).isEqualTo(onTheWire);

        // The identification follows from a CRC that was computed without it.
        int difference = onTheWire ^ icrc.compute(ByteBuffer.wrap(bytes), 0, bytes.length, source, target, 0);
        assertThat(icrc.identification(difference, bytes.length)).isEqualTo(Integer.decode(identification));

        // A packet with one damaged bit has no identification.
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            if (bit / Byte.SIZE == NOT_COVERED) {
                continue;
            }
            byte[] damaged = bytes.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            difference = onTheWire ^ icrc.compute(ByteBuffer.wrap(damaged), 0, bytes.length, source, target, 0);
            assertThat(icrc.identification(difference, bytes.length)).isEqualTo(Icrc.DAMAGED);
        }
    }
}
