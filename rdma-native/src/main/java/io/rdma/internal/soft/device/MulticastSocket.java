package io.rdma.internal.soft.device;

import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.soft.link.GroupSocket;
import io.rdma.internal.soft.link.LinkSocket;
import io.rdma.internal.soft.link.LinkSockets;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - Buffer, packet and checksum belong to the socket's own thread, which takes the device's turn for each datagram.
// - The thread ends when the socket is closed. Closing does not wait for the thread.

/**
 * Receiving socket of one multicast group on UDP port 4791. The link's socket is bound to a host's address and receives
 * no multicast packets.
 */
final class MulticastSocket implements AutoCloseable {
    private static final long FAILED_NANOS = 10_000_000;

    private final GroupSocket socket;
    private final InetAddress group;
    private final SoftDevice device;
    private final ByteBuffer buffer;
    private final long base;
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM);
    private final Packet packet = new Packet();
    private final UdpAddress from = new UdpAddress();
    private final UdpAddress to;
    private final LimitedLog log = new LimitedLog(MulticastSocket.class);

    /** Joins the group on the network interface of an address. */
    MulticastSocket(LinkSockets sockets, InetAddress group, InetAddress local, SoftDevice device) {
        this.group = group;
        this.device = device;
        InetSocketAddress bound = new InetSocketAddress(group, SoftAddress.ROCE_PORT);
        to = new UdpAddress(bound);
        try {
            socket = sockets.openGroup(bound, local);
        } catch (IOException | IllegalArgumentException e) {
            throw new VerbsException(
                    "ibv_attach_mcast",
                    Errno.EADDRNOTAVAIL,
                    "The host cannot join " + group.getHostAddress() + ": " + e.getMessage());
        }
        buffer = socket.memory();
        base = MemorySegment.ofBuffer(buffer).address();
        device.environment().start("rdma-group-" + group.getHostAddress(), this::run);
    }

    private void run() {
        while (socket.isOpen()) {
            try {
                receive();
            } catch (Throwable e) { // closed, an ICMP error or any other: without this thread the group is not received
                if (socket.isOpen()) {
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
        int length = socket.receive(from) - Icrc.BYTES;
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

    @Override
    public void close() {
        socket.close();
    }
}
