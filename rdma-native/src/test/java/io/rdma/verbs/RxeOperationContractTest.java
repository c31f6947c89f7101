package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeOperationContractTest extends OperationContract {
    @Override
    String device() {
        return "rxe0";
    }
}
