package io.rdma.internal.soft.link;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.ring.Peer;
import io.rdma.internal.soft.ring.PeerRings;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// Invariant: a datagram that does not parse, or is damaged, is counted and dropped. No received packet of RoCE
// causes an allocation or an exception.

/**
 * The link of a software device: converts packets to datagrams and back, or hands them to processes of this host in
 * shared memory. In a turn, except for {@link #wake} and {@link #await}.
 */
public final class UdpLink implements AutoCloseable, PeerRings.Carrier {
    private static final int MIN_DATAGRAM = 16; // BTH and ICRC
    private static final int MAX_DESTINATIONS = 4096;
    /**
     * Bytes of socket buffer for each packet in flight of a queue pair: eight queue pairs may send at once, and the
     * kernel charges 16 KiB for a packet of 4 KiB.
     */
    private static final int BUFFER_SHARE = 8 * 16_384;

    /** Number of packets in flight of a queue pair that is safe on any path. */
    public static final int FEWEST_IN_FLIGHT = 16;

    private static final int MOST_IN_FLIGHT = 64;
    /** Packets of rings that one call drops while the link is down. */
    private static final int MOST_DROPPED = 64;

    /** Identification of sent IPv4 headers: Linux writes 0 for an unconnected socket with "don't fragment". */
    private static final int IDENTIFICATION = 0;

    private final CapturedSocket socket;
    private final @Nullable NativeSocket shareable;
    private @Nullable PeerRings rings;
    private final ByteBuffer memory;
    private final long base;
    private final UdpAddress local;
    private final UdpAddress from = new UdpAddress();
    private final Packet part = new Packet(); // of one that is captured
    private final Map<InetSocketAddress, Peer> destinations = new HashMap<>();
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM);
    private final Environment environment;
    private final FaultPlan plan;
    private final FaultInjector faults;
    private final Counters counters;
    private boolean up = true;

    public UdpLink(SoftConfig config, Counters counters) {
        this(config, counters, true);
    }

    /**
     * Opens the socket.
     *
     * @param shares whether packets to processes of this host may go through shared memory
     */
    public UdpLink(SoftConfig config, Counters counters, boolean shares) {
        this.counters = counters;
        environment = config.environment();
        plan = config.faults();
        InetSocketAddress address = config.socketAddress();
        try {
            LinkSocket opened = config.sockets().open(address);
            shareable = opened instanceof NativeSocket of ? of : null;
            socket = new CapturedSocket(opened);
        } catch (IOException e) {
            int errno = e instanceof BindException ? Errno.EADDRINUSE : Errno.EADDRNOTAVAIL;
            throw new VerbsException(
                    "bind(" + address + ")",
                    errno,
                    "The software device cannot listen there: " + e.getMessage()
                            + ". Another process, or rdma_rxe, may have" + " UDP port 4791: set -D"
                            + SoftConfig.ADDRESS_PROPERTY + " to another address of this host, or unset it");
        }
        memory = socket.memory().order(ByteOrder.BIG_ENDIAN);
        base = MemorySegment.ofBuffer(memory).address();
        local = new UdpAddress(socket.local());
        faults = new FaultInjector(environment, socket, plan.settings());
        if (shareable != null && shares) {
            rings = PeerRings.of(environment, this, local);
        }
    }

    /**
     * Creates more sockets at this address, each with a thread that is not started yet.
     *
     * @param more number of sockets
     * @param taker receiver of their packets
     */
    public List<ReceiveLane> lanes(int more, ReceiveLane.Taker taker) {
        List<ReceiveLane> lanes = new ArrayList<>();
        if (more > 0 && shareable == null) {
            System.getLogger(UdpLink.class.getName())
                    .log(System.Logger.Level.WARNING, "One thread receives: more threads need the sockets of Linux");
            return lanes;
        }
        try {
            if (more > 0 && shareable != null) {
                shareable.share();
                rings = null; // their datagrams may arrive at any lane
            }
            for (int i = 0; i < more; i++) {
                lanes.add(new ReceiveLane(environment, socket.local(), i + 2, taker));
            }
            return lanes;
        } catch (IOException e) {
            lanes.forEach(ReceiveLane::close);
            throw new VerbsException(
                    "SO_REUSEPORT",
                    Errno.EINVAL,
                    "The device cannot receive in " + (more + 1) + " threads: " + e.getMessage() + ". Set -D"
                            + ReceiveLane.PROPERTY + " to 1");
        }
    }

    public InetSocketAddress local() {
        return socket.local();
    }

    public UdpAddress endpoint() {
        return local;
    }

    /** Returns the number of packets that the kernel refused to send, or a full ring to take. */
    public long lost() {
        PeerRings shared = rings;
        return socket.lost() + (shared == null ? 0 : shared.lost());
    }

    /** Returns the number of packets that were sent in shared memory. */
    public long ringPackets() {
        PeerRings shared = rings;
        return shared == null ? 0 : shared.carried();
    }

    /** Returns whether packets to a peer may be joined: they go through shared memory. */
    public boolean joins(InetSocketAddress peer) {
        PeerRings shared = rings;
        return shared != null && up && !faulty() && shared.joins(endpoint(peer));
    }

    /**
     * Sends a packet to the peer of a connected queue pair, in shared memory if there is some. A joined packet, which
     * no datagram can hold, goes there even if faults have been set since {@link #joins} was asked.
     *
     * @param to the peer, with the fields of the packet's IP header; not changed later
     */
    public void sendConnected(Packet p, InetSocketAddress peer, UdpAddress to) {
        PeerRings shared = rings;
        if (shared == null || !up || p.mtu == 0 && faulty()) {
            send(p, peer, to);
            return;
        }
        Peer known = endpoint(peer);
        if (shared.reaches(known)) {
            capture(p, local, to, true);
            shared.send(p, known);
        } else if (p.mtu == 0) {
            socket.send(write(p, to), to);
        }
    }

    /** Sends a packet by UDP, now or with the next {@link #flush}. */
    public void send(Packet p, InetSocketAddress peer) {
        send(p, peer, endpoint(peer).address);
    }

    /**
     * Sends a packet by UDP, now or with the next {@link #flush}.
     *
     * @param to the peer, with the fields of the packet's IP header; not changed later
     */
    public void send(Packet p, InetSocketAddress peer, UdpAddress to) {
        if (!up || p.mtu != 0) {
            return;
        }
        FaultPlan.Settings settings = plan.settings();
        int length = write(p, to);
        if (settings.none()) {
            socket.send(length, to);
        } else {
            faults.send(settings, length, peer, to);
        }
    }

    @Override
    public void carry(byte[] datagram, UdpAddress to) {
        memory.limit(memory.capacity()).put(socket.frame(), datagram);
        socket.sendUncaptured(datagram.length, to);
        socket.flush();
    }

    /**
     * Writes a packet to the socket's frame.
     *
     * @return its length with the ICRC
     */
    private int write(Packet p, UdpAddress to) {
        return write(p, local, to);
    }

    private int write(Packet p, UdpAddress sender, UdpAddress to) {
        int at = socket.frame();
        int length = PacketCodec.encode(p, memory, base, at);
        int crc = icrc.compute(memory, at, length, sender, to, IDENTIFICATION);
        memory.putInt(at + length, Integer.reverseBytes(crc));
        return length + Icrc.BYTES;
    }

    /**
     * Captures a packet to this device itself, which bypasses the socket.
     *
     * @param to this device, with the fields of the packet's IP header
     */
    public void capture(Packet p, UdpAddress to) {
        capture(p, local, to, true);
    }

    /** Returns whether packets have the hop limit and the flow label of the address that they are sent to. */
    public boolean hasHeaders() {
        return socket.hasHeaders();
    }

    /** Captures a packet that no datagram carries, as the datagrams that it stands for. */
    private void capture(Packet p, UdpAddress sender, UdpAddress to, boolean outbound) {
        for (int i = 0; socket.capturing() && i < p.packets(); i++) {
            p.split(i, part);
            socket.capture(socket.frame(), write(part, sender, to), sender, to, outbound);
        }
    }

    /**
     * Writes all packets to a file from now on.
     *
     * @param file null to stop
     */
    public void captureTo(@Nullable CaptureFile file) {
        socket.captureTo(file);
    }

    /** Writes all packets to a file that another link closes, or to none. */
    public void captureInto(@Nullable CaptureFile file) {
        socket.captureInto(file);
    }

    @Override
    public void flush() {
        socket.flush();
    }

    /** Sends what is queued, and wakes peers for what is in their rings. */
    public void flushAll() {
        socket.flush();
        PeerRings shared = rings;
        if (shared != null) {
            shared.flush();
        }
    }

    /** Returns whether a request or the answer to a read may be sent to a peer; if not, the peer has to read first. */
    public boolean hasRoom(InetSocketAddress peer) {
        PeerRings shared = rings;
        return shared == null || !shared.isCrowded() || shared.hasRoom(endpoint(peer));
    }

    /** Returns whether there may be a peer without room. */
    public boolean isCrowded() {
        PeerRings shared = rings;
        return shared != null && shared.isCrowded();
    }

    /** Notes that a queue pair is being connected to another device. */
    public void connecting(InetSocketAddress peer) {
        PeerRings shared = rings;
        if (shared != null) {
            shared.connecting(endpoint(peer));
        }
    }

    /** Returns what is known of an address, from a cache, so that sending allocates nothing. */
    private Peer endpoint(InetSocketAddress address) {
        Peer known = destinations.get(address);
        if (known == null) {
            if (destinations.size() >= MAX_DESTINATIONS) {
                destinations.clear();
            }
            known = new Peer(new UdpAddress(address));
            destinations.put(address, known);
        }
        return known;
    }

    /** Returns whether a packet came from the device that listens at an address. */
    public boolean cameFrom(UdpAddress sender, InetSocketAddress device) {
        return sender.sendsFor(endpoint(device).address);
    }

    /**
     * Returns how many packets of a queue pair may be in flight to a peer. To a process of this host, with similar
     * socket buffers and no slow link in between, it is the number that fits its buffer; otherwise the default.
     */
    public int packetsInFlight(InetSocketAddress peer) {
        if (!peer.getAddress().isLoopbackAddress() || faulty()) {
            return FEWEST_IN_FLIGHT;
        }
        int fit = socket.receiveBuffer() / BUFFER_SHARE;
        return Math.clamp(fit, FEWEST_IN_FLIGHT, MOST_IN_FLIGHT);
    }

    /** Returns whether the link sends and receives. */
    public boolean isUp() {
        return up;
    }

    public void setUp(boolean now) {
        up = now;
    }

    /** Returns whether faults are set, so that even packets to this device itself have to go through the socket. */
    public boolean faulty() {
        return !plan.settings().none();
    }

    /** Returns whether a packet came from this device itself. */
    public boolean cameFromHere(UdpAddress sender) {
        return sender.sendsFor(local) && sender.port == local.port;
    }

    /** Sends the delayed packets that are due. */
    public void release(long now) {
        faults.release(now);
    }

    /** Returns the time for the next {@link #release}; 0 for none. */
    public long wakeAt() {
        return faults.wakeAt();
    }

    /**
     * Receives one packet.
     *
     * @return its sender, valid until the next packet, or null if there is none now
     */
    @Nullable
    public UdpAddress receive(Packet into) {
        PeerRings shared = rings;
        if (shared == null) {
            return receiveFromSocket(into, null);
        }
        if (shared.isSocketDue()) {
            UdpAddress sender = receiveFromSocket(into, shared);
            if (sender != null) {
                return sender;
            }
        }
        for (int dropped = 0; dropped < MOST_DROPPED; dropped++) {
            UdpAddress sender = shared.receive(into);
            if (sender == null) {
                return shared.isSocketBusy() ? receiveFromSocket(into, shared) : null;
            }
            capture(into, sender, local, false);
            if (up) {
                return sender;
            }
        }
        return null;
    }

    private @Nullable UdpAddress receiveFromSocket(Packet into, @Nullable PeerRings shared) {
        for (int length; (length = socket.receive(from)) >= 0; ) {
            int at = socket.received();
            if (shared != null) {
                shared.socketWasRead(false);
                if (shared.isControl(memory, at, length, from)) {
                    continue;
                }
            }
            socket.received(memory, at, length, from);
            int packet = length - Icrc.BYTES;
            boolean intact = plausible(length) && intact(at, packet);
            if (up && decodes(into, memory, base, at, length, intact)) {
                return from;
            }
        }
        if (shared != null) {
            shared.socketWasRead(true);
        }
        return null;
    }

    /**
     * Receives one packet that a lane has gathered.
     *
     * @return its sender, or null if the datagram is not a valid packet
     */
    @Nullable
    public UdpAddress receive(ReceiveLane lane, int i, Packet into) {
        UdpAddress sender = lane.from(i);
        socket.received(lane.memory(), lane.at(i), lane.length(i), sender);
        return up && decodes(into, lane.memory(), lane.base(), lane.at(i), lane.length(i), lane.intact(i))
                ? sender
                : null;
    }

    private boolean decodes(Packet into, ByteBuffer in, long inBase, int at, int length, boolean intact) {
        if (plausible(length) && !intact) {
            counters.count(Counter.ICRC_ERR);
            return false;
        }
        if (!intact || !PacketCodec.decode(into, in, inBase, at, length - Icrc.BYTES)) {
            counters.count(Counter.MALFORMED_PKTS);
            return false;
        }
        return true;
    }

    /** Returns whether a datagram of that length may be a packet. */
    static boolean plausible(int length) {
        return length >= MIN_DATAGRAM && length <= LinkSocket.MAX_DATAGRAM && (length & 3) == 0;
    }

    private boolean intact(int at, int length) {
        return icrc.matches(memory.limit(memory.capacity()), at, length, from, local);
    }

    /**
     * Waits for a wake-up and, if {@code forPackets}, for a packet.
     *
     * @param nanos upper bound of the wait; negative for none
     */
    public void await(long nanos, boolean forPackets) {
        PeerRings shared = rings;
        if (shared == null || !forPackets) {
            socket.await(nanos, forPackets);
        } else if (shared.fallAsleep()) {
            socket.await(shared.bounded(nanos), true);
            shared.awake();
        }
    }

    /** Ends the current wait, or the next one if there is none. Any thread. */
    @Override
    public void wake() {
        socket.wake();
    }

    @Override
    public void close() {
        PeerRings shared = rings;
        if (shared != null) {
            shared.close();
        }
        socket.close();
    }
}
