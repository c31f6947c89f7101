package io.rdma.internal.soft.device;

import io.rdma.internal.soft.link.LinkSockets;
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
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - The host is a member of a group exactly while a queue pair is attached to it. A queue pair is attached once.
// - `route` belongs to the datagram that is being delivered.

/** Multicast groups of a device, and the route header (GRH) in front of each received datagram. Device thread. */
public final class Datagrams {
    /** Destination queue pair number of a multicast datagram: it addresses all members of the group. */
    public static final int MULTICAST_QPN = 0xffffff;

    private final SoftDevice device;
    private final UdpLink link;
    private final LinkSockets factory;
    private final Map<InetAddress, List<SoftQp>> groups = new HashMap<>();
    private final Map<InetAddress, MulticastSocket> sockets = new HashMap<>();
    private final RouteHeader header = new RouteHeader();
    private final Packet route = new Packet();

    /**
     * @param factory of the groups' sockets
     */
    Datagrams(SoftDevice device, UdpLink link, LinkSockets factory) {
        this.device = device;
        this.link = link;
        this.factory = factory;
    }

    /** Returns the 40 bytes in front of the datagram that is being delivered. */
    Packet route() {
        return route;
    }

    void send(Packet packet, SoftAh path) {
        UdpAddress local = link.endpoint();
        device.counters().count(Counter.SENT_PKTS);
        if (path.endpoint.same(local) && !link.faulty()) {
            deliver(packet, local, path.endpoint);
            return;
        }
        if (path.isGroup()) {
            deliver(packet, local, path.endpoint, groups.get(path.target.getAddress()));
        }
        link.send(packet, path.target, path.endpoint);
    }

    /** Delivers a datagram to the queue pair of this device that it addresses. */
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

    /** Delivers a multicast datagram from another device to the members of its group. */
    void arrived(Packet packet, UdpAddress from, UdpAddress to, InetAddress group) {
        if (!from.same(link.endpoint())) { // send() has delivered this device's own
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

    /** Joins a group on the host, if this device uses UDP port 4791. On other ports no device sends to groups. */
    private void join(InetAddress group) {
        if (link.endpoint().port == SoftAddress.ROCE_PORT) {
            sockets.put(group, new MulticastSocket(factory, group, link.local().getAddress(), device));
        }
    }

    private static InetAddress group(String call, SoftQp qp, byte[] gid) {
        InetAddress address = SoftAddress.of(gid).getAddress();
        if (qp.transport != Opcode.UD || !address.isMulticastAddress()) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "Only a queue pair of type UD can be attached, and only to a multicast GID: ff00::/8, or an"
                            + " IPv4-mapped 224.0.0.0/4, not " + address.getHostAddress());
        }
        return address;
    }
}
