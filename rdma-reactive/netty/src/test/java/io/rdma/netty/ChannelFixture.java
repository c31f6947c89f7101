package io.rdma.netty;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Event loops of one device, for each test anew. */
abstract class ChannelFixture {
    ChannelPair pair;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    final void openPair() {
        pair = new ChannelPair(device());
    }

    @AfterEach
    final void closePair() {
        if (pair != null) {
            pair.close();
        }
    }
}
