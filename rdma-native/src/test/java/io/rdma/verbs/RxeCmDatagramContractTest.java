package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCmDatagramContractTest extends CmDatagramContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
