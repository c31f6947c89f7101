package io.rdma.internal.soft.device;

import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

// Invariants
// - Buffer, packet and checksum belong to the socket's own thread, which takes the device's turn for each datagram.
// - The thread ends when the socket is closed. Closing does not wait for the thread.

/**
 * Receiving socket of one multicast group on UDP port 4791. The link's socket is bound to a host's address and receives
 * no multicast packets. This one is bound to the group, so that packets of two groups on a host do not mix.
 */
final class MulticastSocket implements AutoCloseable {
    private static final long FAILED_NANOS = 10_000_000;

    private final DatagramChannel channel;
    private final InetAddress group;
    private final SoftDevice device;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(LinkSocket.MAX_DATAGRAM);
    private final long base = MemorySegment.ofBuffer(buffer).address();
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM);
    private final Packet packet = new Packet();
    private final UdpAddress from = new UdpAddress();
    private final UdpAddress to;
    private final LimitedLog log = new LimitedLog(MulticastSocket.class);

    /** Joins the group on the network interface of an address. */
    MulticastSocket(InetAddress group, InetAddress local, SoftDevice device) {
        this.group = group;
        this.device = device;
        InetSocketAddress bound = new InetSocketAddress(group, SoftAddress.ROCE_PORT);
        to = new UdpAddress(bound);
        DatagramChannel opened = null;
        try {
            opened = DatagramChannel.open(
                    group instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
            opened.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            opened.bind(bound);
            opened.join(group, interfaceOf(local));
            channel = opened;
        } catch (IOException | IllegalArgumentException e) {
            closeQuietly(opened);
            throw new VerbsException(
                    "ibv_attach_mcast",
                    Errno.EADDRNOTAVAIL,
                    "The host cannot join " + group.getHostAddress() + ": " + e.getMessage());
        }
        device.environment().start("rdma-group-" + group.getHostAddress(), this::run);
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

    private void run() {
        while (channel.isOpen()) {
            try {
                receive();
            } catch (Throwable e) { // closed, an ICMP error or any other: without this thread the group is not received
                if (channel.isOpen()) {
                    log.log(
                            System.Logger.Level.WARNING,
                            "group " + group.getHostAddress() + ": a datagram was not received",
                            e);
                    LockSupport.parkNanos(this, FAILED_NANOS);
                }
            }
        }
    }

    private void receive() throws IOException {
        buffer.clear();
        from.set((InetSocketAddress) channel.receive(buffer));
        int length = buffer.position() - Icrc.BYTES;
        buffer.clear();
        if (length > 0
                && (length & 3) == 0
                && from.ipv6 == to.ipv6
                && icrc.matches(buffer, 0, length, from, to)
                && PacketCodec.decode(packet, buffer, base, 0, length)) {
            device.call(() -> {
                device.datagrams().arrived(packet, from, to, group);
                return 0;
            });
        }
    }

    private static void closeQuietly(@Nullable DatagramChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                System.getLogger(MulticastSocket.class.getName()).log(System.Logger.Level.DEBUG, "close failed", e);
            }
        }
    }

    @Override
    public void close() {
        closeQuietly(channel);
    }
}
