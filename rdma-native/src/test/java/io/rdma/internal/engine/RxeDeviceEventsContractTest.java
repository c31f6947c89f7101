package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDeviceEventsContractTest extends DeviceEventsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
