package io.rdma.internal.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.soft.link.SoftConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoftAddressTest {
    private static InetSocketAddress at(String address, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(address), port);
    }

    @ParameterizedTest
    @CsvSource({
        "10.77.0.2, 4791, 00000000000000000000ffff0a4d0002",
        "127.0.0.1, 258, 00000000000000000102ffff7f000001",
        "fd77::2, 4791, fd770000000000000000000000000002",
    })
    void aGidIsTheAddress(String address, int port, String gid) throws UnknownHostException {
        byte[] bytes = HexFormat.of().parseHex(gid);
        assertThat(SoftAddress.gid(at(address, port))).isEqualTo(bytes);
        assertThat(SoftAddress.of(bytes)).isEqualTo(at(address, port));
    }

    /**
     * RoCE devices spread their flows over source ports. A software device on a port of its own sends from that port.
     */
    @Test
    void aDeviceOnTheRocePortMaySendFromAnyPort() throws UnknownHostException {
        InetSocketAddress roce = at("10.77.0.1", SoftAddress.ROCE_PORT);
        assertThat(new UdpAddress(at("10.77.0.1", 61501)).sendsFor(new UdpAddress(roce)))
                .isTrue();
        assertThat(new UdpAddress(at("10.77.0.3", 61501)).sendsFor(new UdpAddress(roce)))
                .isFalse();
        assertThat(new UdpAddress(at("127.0.0.1", 5000)).sendsFor(new UdpAddress(at("127.0.0.1", 5000))))
                .isTrue();
        assertThat(new UdpAddress(at("127.0.0.1", 5001)).sendsFor(new UdpAddress(at("127.0.0.1", 5000))))
                .isFalse();
    }

    @Test
    void theMtuIsThatOfTheInterface() throws UnknownHostException {
        assertThat(SoftConfig.loopback().activeMtu()).isEqualTo(Ibv.MTU_4096);
        InetAddress nobodys = InetAddress.getByName("192.0.2.1");
        assertThat(SoftConfig.at(nobodys, 0).activeMtu()).isEqualTo(Ibv.MTU_1024);
    }
}
