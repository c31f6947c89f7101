package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMessagesContractTest extends MessagesContract {
    @Override
    String device() {
        return "rxe0";
    }
}
