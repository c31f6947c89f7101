package io.rdma.samples.learn;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLearnContractTest extends LearnContract {
    @Override
    String device() {
        return "rxe0";
    }
}
