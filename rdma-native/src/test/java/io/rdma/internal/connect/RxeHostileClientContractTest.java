package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHostileClientContractTest extends HostileClientContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String thirdHost() {
        return "10.77.0.2"; // the other end of the link: the kernel needs a neighbour that answers
    }
}
