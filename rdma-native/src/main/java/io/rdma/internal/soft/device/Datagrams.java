package io.rdma.internal.soft.device;

import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.objects.SoftAh;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.RouteHeader;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - A group is joined on the host exactly while a queue pair is attached to it; a queue pair is in it once.
// - `route` is that of the datagram that is being delivered.

/** What datagrams need beside queue pairs: multicast groups, and the route in front of each. Device thread. */
public final class Datagrams {
    /** The queue pair number that stands for all of a group. */
    public static final int MULTICAST_QPN = 0xffffff;

    private final SoftDevice device;
    private final UdpLink link;
    private final Map<InetAddress, List<SoftQp>> groups = new HashMap<>();
    private final Map<InetAddress, MulticastSocket> sockets = new HashMap<>();
    private final RouteHeader header = new RouteHeader();
    private final Packet route = new Packet();

    Datagrams(SoftDevice device, UdpLink link) {
        this.device = device;
        this.link = link;
    }

    /** The 40 bytes in front of the datagram that is being delivered. */
    Packet route() {
        return route;
    }

    void send(Packet packet, SoftAh path) {
        UdpAddress local = link.endpoint();
        device.counters().count(Counter.SENT_PKTS);
        if (path.endpoint.same(local) && !link.faulty()) {
            deliver(packet, local, local);
            return;
        }
        if (path.isGroup()) {
            deliver(packet, local, path.endpoint, groups.get(path.target.getAddress()));
        }
        link.send(packet, path.target);
    }

    /** A datagram to this device. */
    void deliver(Packet packet, UdpAddress from, UdpAddress to) {
        device.counters().count(Counter.RCVD_PKTS);
        SoftQp qp = device.find(packet.destQpn);
        if (qp == null || qp.transport != Opcode.UD) {
            device.counters().count(Counter.UNKNOWN_QP_PKTS);
            return;
        }
        write(packet, from, to);
        device.request(qp, packet);
    }

    /** A datagram from another device to a group. */
    void arrived(Packet packet, UdpAddress from, UdpAddress to, InetAddress group) {
        if (!from.same(link.endpoint())) { // our own was delivered when it was sent
            device.counters().count(Counter.RCVD_PKTS);
            deliver(packet, from, to, groups.get(group));
        }
    }

    private void deliver(Packet packet, UdpAddress from, UdpAddress to, @Nullable List<SoftQp> members) {
        if (members == null || packet.transport != Opcode.UD || packet.destQpn != MULTICAST_QPN) {
            return;
        }
        write(packet, from, to);
        for (SoftQp member : members) {
            device.request(member, packet);
        }
    }

    private void write(Packet packet, UdpAddress from, UdpAddress to) {
        int length = Opcode.headerBytes(packet.transport, packet.opcode)
                + packet.payload
                + (-packet.payload & 3)
                + Icrc.BYTES;
        header.write(from, to, length, link.endpoint().port != SoftAddress.ROCE_PORT);
        header.into(route);
    }

    public void attach(SoftQp qp, byte[] gid) {
        InetAddress group = group("ibv_attach_mcast", qp, gid);
        List<SoftQp> members = groups.get(group);
        if (members == null) {
            join(group);
            members = new ArrayList<>();
            groups.put(group, members);
        }
        if (!members.contains(qp)) {
            members.add(qp);
            qp.attached++;
        }
    }

    public void detach(SoftQp qp, byte[] gid) {
        InetAddress group = group("ibv_detach_mcast", qp, gid);
        if (!groups.getOrDefault(group, List.of()).contains(qp)) {
            throw new VerbsException(
                    "ibv_detach_mcast", Errno.EINVAL, "The queue pair is not attached to " + group.getHostAddress());
        }
        List<SoftQp> members = Objects.requireNonNull(groups.get(group));
        members.remove(qp);
        qp.attached--;
        if (members.isEmpty()) {
            groups.remove(group);
            MulticastSocket socket = sockets.remove(group);
            if (socket != null) {
                socket.close();
            }
        }
    }

    /** On the port that all devices know: on another nobody sends to groups. */
    private void join(InetAddress group) {
        if (link.endpoint().port == SoftAddress.ROCE_PORT) {
            sockets.put(group, new MulticastSocket(group, link.local().getAddress(), device));
        }
    }

    private static InetAddress group(String call, SoftQp qp, byte[] gid) {
        InetAddress address = SoftAddress.of(gid).getAddress();
        if (qp.transport != Opcode.UD || !address.isMulticastAddress()) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "Only a queue pair of type UD can be attached, and only to a multicast GID: ff00::/8, or an IPv4-mapped"
                            + " 224.0.0.0/4, not " + address.getHostAddress());
        }
        return address;
    }
}
