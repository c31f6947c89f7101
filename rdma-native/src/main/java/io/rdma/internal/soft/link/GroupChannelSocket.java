package io.rdma.internal.soft.link;

import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Socket of a multicast group on Java's datagram channel, for every platform. It is bound to the group, so that packets
 * of two groups on a host do not mix.
 */
final class GroupChannelSocket implements GroupSocket {
    private final DatagramChannel channel;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(LinkSocket.MAX_DATAGRAM);

    /** Joins the group on the network interface of an address. */
    GroupChannelSocket(InetSocketAddress group, InetAddress local) throws IOException {
        InetAddress ip = group.getAddress();
        channel = DatagramChannel.open(
                ip instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(group);
            channel.join(ip, interfaceOf(local));
        } catch (IOException | IllegalArgumentException e) {
            close();
            throw e;
        }
    }

    private static NetworkInterface interfaceOf(InetAddress local) throws IOException {
        // Java knows only one of the 2²⁴ addresses of a loopback interface.
        NetworkInterface found = local.isLoopbackAddress()
                ? NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                : NetworkInterface.getByInetAddress(local);
        if (found == null) {
            throw new IOException("no network interface has the address " + local.getHostAddress());
        }
        return found;
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public int receive(UdpAddress from) throws IOException {
        memory.clear();
        from.set((InetSocketAddress) channel.receive(memory));
        int length = memory.position();
        memory.clear();
        return length;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(GroupChannelSocket.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
        }
    }
}
