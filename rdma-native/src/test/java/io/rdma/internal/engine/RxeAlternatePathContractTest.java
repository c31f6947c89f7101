package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.RdmaConnectException;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.GidType;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;

/** rdma_rxe reports the capability, but the kernel refuses an alternate path on RoCE. */
@Tag("rxe")
class RxeAlternatePathContractTest extends AlternatePathContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    InetAddress first() {
        return gid(true);
    }

    @Override
    InetAddress alternate() {
        return gid(false);
    }

    private InetAddress gid(boolean ipv4) {
        return resources.context().queryGidTable().stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2
                        && !entry.gid().isZero()
                        && entry.gid().isIpv4Mapped() == ipv4)
                .map(entry -> entry.gid().toAddress())
                .findFirst()
                .orElseGet(() -> Assumptions.abort("the device has one GID"));
    }

    @Override
    void refusesAlternatePaths(RdmaConnectException refusal) {
        assertThat(refusal.reason()).isEqualTo(RdmaConnectException.Reason.DEVICE);
        assertThat(refusal.getCause())
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        Assumptions.abort("an alternate path of RoCE: " + refusal.getCause().getMessage());
    }

    @Override
    void lose(InetAddress address) {
        throw new AssertionError("no connection of this device has an alternate path");
    }
}
