package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The invariant CRC of packets that others have captured; both are examples of scapy's RoCE layer: a datagram of an adapter unknown to us, and a
 * congestion notification of a ConnectX-4 Lx.
 */
class IcrcTest {
    @ParameterizedTest
    @CsvSource({
        // from, port, to, identification, BTH to pad, ICRC
        "192.168.0.7, 49152, 192.168.0.7, 0x0478,"
                + " 2460ffff 000000d3 00cf1710 4630818be28935d90e9a95505401be885e500000, 78f353f3",
        "10.0.17.1, 0, 10.0.18.1, 0x718c," + " 8100ffff 40000118 00000000 00000000000000000000000000000000, 82fd002a"
    })
    void capturedPacketsHaveIt(String from, int port, String to, String identification, String packet, String expected)
            throws UnknownHostException {
        byte[] bytes = HexFormat.of().parseHex(packet.replace(" ", ""));
        int crc = new Icrc()
                .compute(
                        ByteBuffer.wrap(bytes.clone()),
                        bytes.length,
                        new InetSocketAddress(InetAddress.getByName(from), port),
                        new InetSocketAddress(InetAddress.getByName(to), SoftAddress.ROCE_PORT),
                        Integer.decode(identification));
        ByteBuffer onTheWire = ByteBuffer.allocate(4).putInt(Integer.reverseBytes(crc));
        assertThat(HexFormat.of().formatHex(onTheWire.array())).isEqualTo(expected);
    }
}
