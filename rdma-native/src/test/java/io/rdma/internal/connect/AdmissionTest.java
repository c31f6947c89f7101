package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.AdmissionLimits;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Permits of a server, by the address of the client. */
class AdmissionTest {
    private static InetAddress address(String text) {
        return InetAddress.ofLiteral(text);
    }

    @Test
    void noAddressTakesAllPermits() {
        Admission admission =
                new Admission(AdmissionLimits.DEFAULT.withHandshakes(5).withHandshakesPerAddress(3));
        List<Admission.Permit> greedy = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            greedy.add(Objects.requireNonNull(admission.tryBegin(address("10.0.0.1"))));
        }
        assertThat(admission.tryBegin(address("10.0.0.1"))).isNull();
        assertThat(admission.tryBegin(address("10.0.0.2"))).isNotNull();
        greedy.removeLast().close();
        assertThat(admission.tryBegin(address("10.0.0.1"))).isNotNull();
        assertThat(admission.tryBegin(address("10.0.0.3"))).isNotNull();
        assertThat(admission.tryBegin(address("10.0.0.4"))).as("all are taken").isNull();
        assertThat(admission.tooManyHandshakes()).contains("5 handshakes", "3 handshakesPerAddress");
    }

    @Test
    void aNetworkOfIpv6CountsAsOneAddress() {
        Admission admission = new Admission(AdmissionLimits.DEFAULT.withHandshakesPerAddress(1));
        assertThat(admission.tryBegin(address("2001:db8:0:1::1"))).isNotNull();
        assertThat(admission.tryBegin(address("2001:db8:0:1:ffff::2"))).isNull();
        assertThat(admission.tryBegin(address("2001:db8:0:2::1"))).isNotNull();
        assertThat(admission.tryBegin(address("fe80::1"))).isNotNull();
        assertThat(admission.tryBegin(address("fe80::2"))).as("a neighbour").isNotNull();
    }
}
