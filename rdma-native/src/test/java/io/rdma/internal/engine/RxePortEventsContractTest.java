package io.rdma.internal.engine;

import io.rdma.testing.RxeLink;
import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePortEventsContractTest extends PortEventsContract {
    private static final String OTHER = "10.77.9.1/24";

    private RxeLink link;

    @BeforeEach
    void assumeLink() {
        link = RxeLink.assumed();
    }

    @AfterEach
    void leaveTheLinkAsItWas() {
        if (link != null) {
            link.removeAddress(OTHER);
            link.up();
        }
    }

    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    void down() {
        link.down();
    }

    @Override
    void up() {
        link.up();
    }

    @Override
    void changeGids() {
        link.addAddress(OTHER);
        link.removeAddress(OTHER);
    }
}
