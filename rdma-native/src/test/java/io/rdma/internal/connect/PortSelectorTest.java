package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.types.PortState;
import io.rdma.verbs.TwoPorts;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Choice between the two ports of a device. */
class PortSelectorTest {
    private static final InetAddress FIRST = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress SECOND = InetAddress.ofLiteral("192.0.2.2");
    private static final InetAddress NEITHER = InetAddress.ofLiteral("127.0.0.1");

    private final TwoPorts device;

    PortSelectorTest() throws ReflectiveOperationException {
        device = new TwoPorts(FIRST, SECOND);
    }

    private int selected(InetAddress local, PathOptions wanted) {
        return PortSelector.select(device.context(), local, wanted);
    }

    @Test
    void thePortOfTheLocalAddressIsChosenOrElseTheFirst() {
        assertThat(selected(FIRST, PathOptions.DEFAULT)).isEqualTo(1);
        assertThat(selected(SECOND, PathOptions.DEFAULT)).isEqualTo(2);
        assertThat(selected(NEITHER, PathOptions.DEFAULT)).isEqualTo(1);
    }

    @Test
    void thePortOfTheWantedGidComesBeforeThatOfTheLocalAddress() {
        assertThat(selected(FIRST, PathOptions.DEFAULT.withGidAddress(SECOND))).isEqualTo(2);
        assertThat(selected(SECOND, PathOptions.DEFAULT.withGidAddress(FIRST))).isEqualTo(1);
    }

    @Test
    void aPortThatIsDownComesLast() {
        device.set(1, PortState.DOWN);
        assertThat(selected(NEITHER, PathOptions.DEFAULT)).isEqualTo(2);
        assertThat(selected(FIRST, PathOptions.DEFAULT.withGidAddress(FIRST))).isEqualTo(2);
        assertThatThrownBy(() -> PortSelector.requireUsable(device.context(), 1))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEVICE))
                .hasMessageContaining("DOWN");
        device.set(2, PortState.DOWN);
        assertThat(selected(SECOND, PathOptions.DEFAULT)).isEqualTo(2);
    }

    @Test
    void aPortWhoseLinkFlapsIsUsable() {
        device.set(1, PortState.ACTIVE_DEFER);
        assertThat(selected(FIRST, PathOptions.DEFAULT)).isEqualTo(1);
        assertThat(PortSelector.requireUsable(device.context(), 1).state()).isEqualTo(PortState.ACTIVE_DEFER);
    }
}
