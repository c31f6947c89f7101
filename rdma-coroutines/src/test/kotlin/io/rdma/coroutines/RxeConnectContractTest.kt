package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeConnectContractTest : ConnectContract() {
    override val device = "rxe0"
}
