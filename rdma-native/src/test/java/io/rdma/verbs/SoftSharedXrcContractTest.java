package io.rdma.verbs;

import io.rdma.testing.TestDevice;

class SoftSharedXrcContractTest extends SharedXrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumed("soft0");
    }
}
