package io.rdma.internal.soft.link;

import io.rdma.internal.os.SixLongs;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Factory of the UDP sockets of software devices. */
@FunctionalInterface
public interface LinkSockets {
    /** System property: {@code false} selects Java's datagram channels even on Linux. */
    String NATIVE_PROPERTY = "io.rdma.soft.nativeSockets";

    /** Opens sockets of this host. */
    LinkSockets SYSTEM =
            address -> SixLongs.supported() && !"false".equalsIgnoreCase(System.getProperty(NATIVE_PROPERTY))
                    ? new NativeSocket(address)
                    : new ChannelSocket(address);

    /**
     * Opens a socket.
     *
     * @param address local address and UDP port; port 0 takes a free one
     * @throws java.net.BindException if the port is in use
     */
    LinkSocket open(InetSocketAddress address) throws IOException;
}
