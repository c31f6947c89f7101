package io.rdma.internal.soft.link;

import io.rdma.internal.os.SixLongs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Sockets of this host. */
final class SystemSockets implements LinkSockets {
    @Override
    public LinkSocket open(InetSocketAddress address) throws IOException {
        return SixLongs.supported() && !"false".equalsIgnoreCase(System.getProperty(NATIVE_PROPERTY))
                ? new NativeSocket(address)
                : new ChannelSocket(address);
    }

    @Override
    public GroupSocket openGroup(InetSocketAddress group, InetAddress local) throws IOException {
        return new GroupChannelSocket(group, local);
    }
}
