package io.rdma.internal.engine;

import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;

class SoftAlternatePathContractTest extends AlternatePathContract {
    private final SoftNetwork network = SoftNetwork.createWithTwoAddresses();

    @Override
    String device() {
        return network.device();
    }

    @Override
    InetAddress alternate() {
        return InetAddress.ofLiteral("127.0.0.2");
    }

    @Override
    InetAddress first() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    void lose(InetAddress address) {
        network.heal();
        network.setFaults(address, LinkFaults.NONE.withPartitioned(true));
    }

    @AfterEach
    void forget() {
        network.close();
    }
}
