package io.rdma.internal.engine;

import io.rdma.internal.soft.SoftDevices;
import io.rdma.internal.soft.device.SoftFailure;

/** Events of the second port, the first of which is down all the time. */
class PortsPortEventsContractTest extends PortEventsContract {
    @Override
    String device() {
        return "soft-ports0";
    }

    private void fail(SoftFailure failure) {
        SoftDevices.named(device()).orElseThrow().fail(failure);
    }

    @Override
    void down() {
        fail(SoftFailure.PORT_DOWN);
    }

    @Override
    void up() {
        fail(SoftFailure.PORT_UP);
    }

    @Override
    void changeGids() {
        fail(SoftFailure.GIDS);
    }
}
