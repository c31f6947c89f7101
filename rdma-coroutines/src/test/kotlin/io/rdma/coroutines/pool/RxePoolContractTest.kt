package io.rdma.coroutines.pool

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxePoolContractTest : PoolContract() {
    override val device = "rxe0"
}
