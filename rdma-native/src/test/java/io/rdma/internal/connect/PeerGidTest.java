package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Environment;
import io.rdma.types.Gid;
import java.net.InetAddress;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GIDs that a peer may name, depending on the address that its exchange came from. */
class PeerGidTest {
    private static Gid gid(String hex) {
        return Gid.of(HexFormat.of().parseHex(hex.replace(":", "")));
    }

    @ParameterizedTest
    @CsvSource({
        "0000:0000:0000:0000:0000:ffff:0a4d:0001, 10.77.0.1, false",
        "0000:0000:0000:0000:0000:ffff:0a4d:0001, ::ffff:10.77.0.1, false", // from a dual-stack socket
        "0000:0000:0000:0000:1234:ffff:0a4d:0001, 10.77.0.1, true", // with the port of a software device
        "0000:0000:0000:0000:1234:ffff:7f00:0001, 127.0.0.1, true",
        "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1, false",
        "fe80:0000:0000:0000:0000:0000:0000:0001, fe80::1, false",
        "0000:0000:0000:0000:0000:ffff:7f00:0001, ::1, false", // both belong to this host
        "0000:0000:0000:0000:0000:ffff:7f00:0005, 127.0.0.1, false",
    })
    void aGidOfThePeersHostIsAccepted(String gid, String from, boolean software) {
        assertThatCode(() ->
                        PeerGid.check(Environment.SYSTEM.network(), gid(gid), InetAddress.ofLiteral(from), software))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "0000:0000:0000:0000:0000:ffff:0a4d:0002, 10.77.0.1, false",
        "0000:0000:0000:0000:1234:ffff:0a4d:0002, 10.77.0.1, true",
        "0000:0000:0000:0000:1234:ffff:0a4d:0001, 10.77.0.1, false", // an IPv6 address on a real device
        "0000:0000:0000:0000:0000:ffff:7f00:0001, 10.77.0.1, false", // this host, named by another host
        "0000:0000:0000:0000:0000:ffff:0a4d:0002, 127.0.0.1, false", // another host, named by this host
        "2001:0db8:0000:0000:0000:0000:0000:0002, 2001:db8::1, false",
        "0000:0000:0000:0000:0000:0000:0000:0000, 10.77.0.1, false",
        "0000:0000:0000:0000:0000:0000:0000:0000, 127.0.0.1, false",
        "0000:0000:0000:0000:0000:ffff:e000:0001, 127.0.0.1, false", // multicast
        "ff02:0000:0000:0000:0000:0000:0000:0001, ::1, false",
    })
    void aGidOfAnotherHostIsRefused(String gid, String from, boolean software) {
        assertThatThrownBy(() ->
                        PeerGid.check(Environment.SYSTEM.network(), gid(gid), InetAddress.ofLiteral(from), software))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> org.assertj.core.api.Assertions.assertThat(e.reason())
                                .isEqualTo(Reason.AUTHENTICATION))
                .hasMessageContaining(gid)
                .hasMessageContaining(InetAddress.ofLiteral(from).getHostAddress())
                .hasMessageContaining("withVerifyPeerGid(false)");
    }
}
