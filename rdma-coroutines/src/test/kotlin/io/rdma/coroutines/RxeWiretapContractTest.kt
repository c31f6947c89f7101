package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeWiretapContractTest : WiretapContract() {
    override val device = "rxe0"
}
