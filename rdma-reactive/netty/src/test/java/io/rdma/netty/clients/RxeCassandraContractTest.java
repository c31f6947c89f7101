package io.rdma.netty.clients;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCassandraContractTest extends CassandraContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
