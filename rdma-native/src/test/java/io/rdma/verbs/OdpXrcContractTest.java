package io.rdma.verbs;

import io.rdma.testing.TestDevice;

class OdpXrcContractTest extends XrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumed("soft-odp0");
    }
}
