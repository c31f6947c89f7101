package io.rdma.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Test of software devices that tests make for themselves. */
class SoftNetworkTest {
    @Test
    void aDeviceThatWasMadeIsFoundByItsNameAlone() {
        try (SoftNetwork network = SoftNetwork.create();
                SoftNetwork other = SoftNetwork.create()) {
            assertThat(List.of(network.device(), other.device()))
                    .doesNotHaveDuplicates()
                    .doesNotContain("soft0");
            assertThat(RdmaDevices.named(network.device()).name()).isEqualTo(network.device());
            assertThat(RdmaDevices.list()).extracting(RdmaDevice::name).doesNotContain(network.device());
        }
    }

    @Test
    void itsNameEndsWhenItIsClosedAndWhatIsOpenGoesOn() {
        SoftNetwork network = SoftNetwork.create();
        try (DeviceContext context = RdmaDevices.named(network.device()).open()) {
            network.close();
            network.close();
            assertThatThrownBy(() -> RdmaDevices.named(network.device()))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                    .hasMessageContaining("soft0");
            assertThat(context.queryPort(1)).isNotNull();
        }
    }

    @Test
    void openObjectsAreCountedByDevice() {
        try (SoftNetwork network = SoftNetwork.create();
                SoftNetwork other = SoftNetwork.create();
                Arena arena = Arena.ofConfined()) {
            try (DeviceContext context = RdmaDevices.named(network.device()).open();
                    ProtectionDomain domain = context.allocateProtectionDomain();
                    MemoryRegion region = domain.register(arena.allocate(64), Set.of(AccessFlag.LOCAL_WRITE))) {
                assertThat(region.isClosed()).isFalse();
                assertThat(network.openObjects()).isEqualTo(Map.of("ibv_context", 1, "ibv_pd", 1, "ibv_mr", 1));
                assertThat(other.openObjects()).isEmpty();
            }
            assertThat(network.openObjects()).isEmpty();
        }
    }

    @Test
    void closingTheNetworkOfTheProcessDoesNothing() {
        SoftNetwork.ofThisProcess().close();
        assertThat(RdmaDevices.named("soft0").name())
                .isEqualTo(SoftNetwork.ofThisProcess().device());
    }
}
