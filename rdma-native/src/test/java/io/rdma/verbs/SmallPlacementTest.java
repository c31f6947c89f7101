package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rights of the memory placement extensions on a device that lacks them. */
class SmallPlacementTest {
    @ParameterizedTest
    @EnumSource(
            value = AccessFlag.class,
            names = {"FLUSH_GLOBAL", "FLUSH_PERSISTENT"})
    void theRightIsNotSupported(AccessFlag right) {
        try (DeviceContext context = TestDevice.assumed("soft-small0").open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            assertThatThrownBy(() -> domain.allocate(4096, EnumSet.of(AccessFlag.REMOTE_WRITE, right)))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                    .hasMessageContaining("read after the writes");
        }
    }
}
