package io.rdma.reactive;

import io.rdma.soft.SoftNetwork;
import io.rdma.testing.JavaProcess;
import java.io.IOException;

class SoftLinkCutContractTest extends LinkCutContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Override
    void assumePossible() {}

    @Override
    JavaProcess peer(String connector, String host, String ports) throws IOException {
        return new JavaProcess(TwoStreams.class, "soft0", connector, host, ports);
    }

    @Override
    void cut() {
        SoftNetwork.ofThisProcess().partition();
    }

    @Override
    void heal() {
        SoftNetwork.ofThisProcess().heal();
    }
}
