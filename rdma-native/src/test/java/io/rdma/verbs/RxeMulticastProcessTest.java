package io.rdma.verbs;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.RxeLink;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;

/** A group between {@code rxe0} here and {@code soft0} at the other end of its link. */
@Tag("rxe")
class RxeMulticastProcessTest extends MulticastContract {
    private static final String PEER = "10.77.0.2";
    private static final String GROUP = "239.77.77.3";

    private InetAddress own;

    @Override
    void assumePossible() throws UnknownHostException {
        RxeLink.assumed();
        own = InetAddress.getByName("10.77.0.1");
    }

    @Override
    CmEventChannel channel() {
        return TestDevice.assumedInfiniBand(TestDevice.real()).createEventChannel();
    }

    @Override
    InetAddress own() {
        return own;
    }

    @Override
    InetSocketAddress group() {
        return new InetSocketAddress(GROUP, 0);
    }

    @Override
    JavaProcess member() throws IOException {
        return JavaProcess.in("peer", PEER, MulticastMember.class, PEER, GROUP);
    }
}
