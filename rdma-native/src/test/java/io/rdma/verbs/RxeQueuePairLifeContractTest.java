package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeQueuePairLifeContractTest extends QueuePairLifeContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Linux 6.1's rdma_rxe looks at its queue only at the next post. */
    @Override
    boolean resumes() {
        return false;
    }
}
