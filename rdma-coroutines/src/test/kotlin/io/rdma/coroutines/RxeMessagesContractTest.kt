package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeMessagesContractTest : MessagesContract() {
    override val device = "rxe0"
}
