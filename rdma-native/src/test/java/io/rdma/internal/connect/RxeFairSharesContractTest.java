package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFairSharesContractTest extends FairSharesContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
