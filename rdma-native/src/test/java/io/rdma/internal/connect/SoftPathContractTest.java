package io.rdma.internal.connect;

import io.rdma.internal.os.SixLongs;

class SoftPathContractTest extends PathContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Override
    boolean takesHopLimits() {
        return SixLongs.supported();
    }
}
