package io.rdma.netty;

import io.netty.channel.Channel;
import io.rdma.verbs.DeviceContext;

/** Look at the devices that event loops hold open. */
public final class OpenDevices {
    private OpenDevices() {}

    /** Returns the open device of the event loop of a channel. */
    public static DeviceContext of(Channel channel) {
        return ((RdmaSocketChannel) channel).home().join().resources().context();
    }
}
