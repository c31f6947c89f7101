package io.rdma.internal.engine;

import io.rdma.soft.SoftNetwork;

class SoftPortEventsContractTest extends PortEventsContract {
    private final SoftNetwork network = SoftNetwork.ofThisProcess();

    @Override
    String device() {
        return "soft0";
    }

    @Override
    void down() {
        network.setPort(false);
    }

    @Override
    void up() {
        network.setPort(true);
    }

    @Override
    void changeGids() {
        network.changeGids();
    }
}
