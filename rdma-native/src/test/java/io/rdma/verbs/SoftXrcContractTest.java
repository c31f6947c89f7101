package io.rdma.verbs;

import io.rdma.testing.TestDevice;

class SoftXrcContractTest extends XrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumed("soft0");
    }
}
