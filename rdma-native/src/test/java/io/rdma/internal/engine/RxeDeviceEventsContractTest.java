package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDeviceEventsContractTest extends DeviceEventsContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
