package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeOperationContractTest extends OperationContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** The rdma_rxe of Linux 6.12 reports flushed receives without an event, if only solicited ones are asked for. */
    @Override
    boolean wakesForFlushes() {
        return !Kernel.isNewerThan(6, 1);
    }
}
