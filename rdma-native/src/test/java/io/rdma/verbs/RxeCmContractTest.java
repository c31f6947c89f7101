package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCmContractTest extends CmContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }

    @Override
    String host6() {
        return "fd77::1";
    }

    @Override
    String nowhere() {
        return "10.77.0.99"; // no host has it
    }

    @Override
    int many() {
        return 16;
    }
}
