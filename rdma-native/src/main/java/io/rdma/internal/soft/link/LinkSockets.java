package io.rdma.internal.soft.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Factory of the UDP sockets of software devices. */
public interface LinkSockets {
    /** System property: {@code false} selects Java's datagram channels even on Linux. */
    String NATIVE_PROPERTY = "io.rdma.soft.nativeSockets";

    /** Opens sockets of this host. */
    LinkSockets SYSTEM = new SystemSockets();

    /**
     * Opens a socket.
     *
     * @param address local address and UDP port; port 0 takes a free one
     * @throws java.net.BindException if the port is in use
     */
    LinkSocket open(InetSocketAddress address) throws IOException;

    /**
     * Opens a socket that receives what is sent to a multicast group.
     *
     * @param group multicast address and UDP port
     * @param local address whose network interface joins the group
     * @throws IOException if the host cannot join
     * @throws IllegalArgumentException if the address family or the interface does not allow it
     */
    GroupSocket openGroup(InetSocketAddress group, InetAddress local) throws IOException;
}
