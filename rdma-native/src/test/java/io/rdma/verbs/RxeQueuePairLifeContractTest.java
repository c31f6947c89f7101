package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeQueuePairLifeContractTest extends QueuePairLifeContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** The rdma_rxe of Linux 6.12 checks a transition only if the change names a state. */
    @Override
    boolean refusesChangesInError() {
        return !Kernel.isNewerThan(6, 1);
    }

    /** Linux 6.1's rdma_rxe looks at its queue only at the next post. */
    @Override
    boolean resumes() {
        return false;
    }
}
