package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.RxeLink;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The link between {@code rxe0} and {@code soft0} in another network namespace. */
@Tag("rxe")
class RxeLinkCutContractTest extends LinkCutContract {
    private static final String PEER = "10.77.0.2";

    private RxeLink link;

    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }

    @Override
    void assumePossible() {
        link = RxeLink.assumed();
    }

    @Override
    JavaProcess peer(String connector, String host, String ports) throws IOException {
        return JavaProcess.in("peer", PEER, TwoStreams.class, "soft0", connector, host, ports);
    }

    @Override
    void cut() {
        link.lose();
    }

    @Override
    void heal() {
        link.deliver();
        link.up();
    }

    /**
     * By the exchange alone. An RDMA CM connection that ends while the interface is down leaves {@code rxe0} of Linux
     * 6.1 deaf to every connect by RDMA CM, until the device is made again.
     */
    @Test
    void noStreamLooksWholeAndAllClosesWhileTheInterfaceIsDown() throws Exception {
        assertEndsWhileCut(ConnectMethod.TCP, link::down);
    }
}
