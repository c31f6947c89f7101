package io.rdma.coroutines

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeOnDemandContractTest : OnDemandContract() {
    override val device = TestDevice.real()
}
