package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePublisherStreamContractTest extends PublisherStreamContract {
    @Override
    String device() {
        return "rxe0";
    }
}
