package io.rdma.netty;

import io.netty.channel.IoHandle;

/** Channel as its event loop's handler knows it. */
interface RdmaIoHandle extends IoHandle {
    @Override
    void close();
}
