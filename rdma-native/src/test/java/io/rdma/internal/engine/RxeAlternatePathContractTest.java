package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import io.rdma.types.GidType;
import java.net.InetAddress;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;

/** rdma_rxe takes alternate paths, but never arms them. */
@Tag("rxe")
class RxeAlternatePathContractTest extends AlternatePathContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    InetAddress alternate() {
        return resources.context().queryGidTable().stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2
                        && !entry.gid().isZero()
                        && !entry.gid().isIpv4Mapped())
                .map(entry -> entry.gid().toAddress())
                .findFirst()
                .orElseGet(() -> Assumptions.abort("the device has one GID"));
    }

    @Override
    void lose(InetAddress address) {
        throw new AssertionError("no connection of this device is armed");
    }
}
