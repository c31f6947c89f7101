package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeQueuePairLifeContractTest extends QueuePairLifeContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Linux 6.1's rdma_rxe looks at its queue at the next post only. */
    @Override
    boolean resumes() {
        return false;
    }
}
