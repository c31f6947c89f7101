package io.rdma.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.GidType;
import java.net.InetAddress;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class PathOptionsTest {
    private static void range(String name, int low, int high, IntFunction<PathOptions> set) {
        assertThat(set.apply(low)).isNotEqualTo(PathOptions.DEFAULT);
        assertThat(set.apply(high)).isNotEqualTo(set.apply(low));
        for (int outside : new int[] {low - 1, high + 1}) {
            assertThatThrownBy(() -> set.apply(outside))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(name + " must be from " + low + " to " + high + ": " + outside);
        }
    }

    @Test
    void aNumberThatDoesNotFitIsRefusedByName() {
        range("serviceLevel", 0, 15, PathOptions.DEFAULT::withServiceLevel);
        range("trafficClass", 0, 255, PathOptions.DEFAULT::withTrafficClass);
        range("dscp", 0, 63, PathOptions.DEFAULT::withDscp);
        range("hopLimit", 1, 255, PathOptions.DEFAULT::withHopLimit);
        range("flowLabel", 0, 0xfffff, PathOptions.DEFAULT::withFlowLabel);
        range("partitionKey", 1, 0xffff, PathOptions.DEFAULT::withPartitionKey);
        range("partitionIndex", 0, 0xffff, PathOptions.DEFAULT::withPartitionIndex);
        range("port", 1, 255, PathOptions.DEFAULT::withPort);
    }

    @Test
    void everyPartIsKeptBesideTheOthers() {
        InetAddress address = InetAddress.getLoopbackAddress();
        InetAddress other = InetAddress.ofLiteral("192.0.2.2");
        InetAddress peer = InetAddress.ofLiteral("192.0.2.3");
        PathOptions all = PathOptions.DEFAULT
                .withServiceLevel(1)
                .withDscp(26)
                .withHopLimit(3)
                .withFlowLabel(4)
                .withPartitionKey(5)
                .withPort(6)
                .withGidType(GidType.ROCE_V1)
                .withGidAddress(address)
                .withAlternateGidAddress(other)
                .withPeerAlternateGidAddress(peer);
        assertThat(all).isEqualTo(new PathOptions(1, 104, 3, 4, 5, null, 6, GidType.ROCE_V1, address, other, peer));
        assertThat(ConnectionOptions.DEFAULT.withPath(all).withTimeout(3).path())
                .isEqualTo(all);
    }

    @Test
    void theAlternateGidIsAnotherOne() {
        PathOptions one = PathOptions.DEFAULT.withGidAddress(InetAddress.getLoopbackAddress());
        assertThatThrownBy(() -> one.withAlternateGidAddress(InetAddress.getLoopbackAddress()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("alternateGidAddress must differ");
    }

    @Test
    void thePartitionIsNamedByKeyOrByIndex() {
        PathOptions byKey = PathOptions.DEFAULT.withPartitionKey(5);
        assertThat(byKey.withPartitionIndex(2).partitionKey()).isNull();
        assertThat(byKey.withPartitionIndex(2).withPartitionKey(5)).isEqualTo(byKey);
        assertThatThrownBy(() -> new PathOptions(null, null, null, null, 5, 2, null, null, null, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("set either partitionKey or partitionIndex, not both");
    }
}
