package io.rdma.internal.soft.link;

import io.rdma.internal.os.SixLongs;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Icrc;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
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

// Invariant: whatever does not parse, or is damaged, is counted and dropped; nothing is allocated and nothing thrown
// for a packet.

/** The link of a software device: packets to datagrams and back. Under the device's turn, but for {@link #wake}. */
public final class UdpLink implements AutoCloseable {
    /** System property: {@code false} has Java's datagram channels used on Linux, too. */
    static final String NATIVE_PROPERTY = "io.rdma.soft.nativeSockets";

    private static final int MIN_DATAGRAM = 16; // BTH and ICRC
    private static final int MAX_DESTINATIONS = 4096;
    /**
     * Bytes of a socket buffer for each packet in flight of a queue pair: eight of them send at once, and the system
     * counts 16 KiB for a packet of 4 KiB.
     */
    private static final int BUFFER_SHARE = 8 * 16_384;

    /** Packets of a queue pair that any path takes. */
    public static final int FEWEST_IN_FLIGHT = 16;

    private static final int MOST_IN_FLIGHT = 64;
    /** Of the IP headers that are sent: what Linux writes for an unconnected socket with "don't fragment". */
    private static final int IDENTIFICATION = 0;

    private final CapturedSocket socket;
    private final @Nullable NativeSocket shareable;
    private final ByteBuffer memory;
    private final long base;
    private final UdpAddress local;
    private final UdpAddress from = new UdpAddress();
    private final Map<InetSocketAddress, UdpAddress> destinations = new HashMap<>();
    private final Icrc icrc = new Icrc(LinkSocket.MAX_DATAGRAM);
    private final FaultPlan plan;
    private final FaultInjector faults;
    private final Counters counters;
    private boolean up = true;

    public UdpLink(SoftConfig config, Counters counters) {
        this.counters = counters;
        plan = config.faults();
        InetSocketAddress address = config.socketAddress();
        try {
            shareable = nativeSockets() ? new NativeSocket(address) : null;
            socket = new CapturedSocket(shareable == null ? new ChannelSocket(address) : shareable);
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
        faults = new FaultInjector(socket, plan.settings());
    }

    /**
     * More sockets at this address, each with a thread, not started.
     *
     * @param taker of their packets
     */
    public List<ReceiveLane> lanes(int more, ReceiveLane.Taker taker) {
        List<ReceiveLane> lanes = new ArrayList<>();
        if (more > 0 && shareable == null) {
            System.getLogger(UdpLink.class.getName())
                    .log(System.Logger.Level.WARNING, "One thread receives: more need the sockets of Linux");
            return lanes;
        }
        try {
            if (more > 0 && shareable != null) {
                shareable.share();
            }
            for (int i = 0; i < more; i++) {
                lanes.add(new ReceiveLane(socket.local(), i + 2, taker));
            }
            return lanes;
        } catch (IOException e) {
            lanes.forEach(ReceiveLane::close);
            throw new VerbsException(
                    "SO_REUSEPORT",
                    Errno.EINVAL,
                    "There can't be " + (more + 1) + " threads: " + e.getMessage() + ". Set -D" + ReceiveLane.PROPERTY
                            + " to 1");
        }
    }

    private static boolean nativeSockets() {
        return SixLongs.supported() && !"false".equalsIgnoreCase(System.getProperty(NATIVE_PROPERTY));
    }

    public InetSocketAddress local() {
        return socket.local();
    }

    public UdpAddress endpoint() {
        return local;
    }

    /** Datagrams that the system did not take. */
    public long lost() {
        return socket.lost();
    }

    /** Sends a packet, at the latest with the next {@link #flush}. */
    public void send(Packet p, InetSocketAddress peer) {
        if (!up) {
            return;
        }
        UdpAddress to = endpoint(peer);
        int length = write(p, to);
        FaultPlan.Settings settings = plan.settings();
        if (settings.none()) {
            socket.send(length, to);
        } else {
            faults.send(settings, length, peer, to);
        }
    }

    /**
     * Writes a packet to the socket's frame.
     *
     * @return its length with the ICRC
     */
    private int write(Packet p, UdpAddress to) {
        int at = socket.frame();
        int length = PacketCodec.encode(p, memory, base, at);
        int crc = icrc.compute(memory, at, length, local, to, IDENTIFICATION);
        memory.putInt(at + length, Integer.reverseBytes(crc));
        return length + Icrc.BYTES;
    }

    /** Captures a packet to this device itself, which takes the short way. */
    public void capture(Packet p) {
        if (socket.capturing()) {
            socket.capture(socket.frame(), write(p, local), local, local, true);
        }
    }

    /**
     * From now on all packets are written to a file.
     *
     * @param file null: to none
     */
    public void captureTo(@Nullable CaptureFile file) {
        socket.captureTo(file);
    }

    public void flush() {
        socket.flush();
    }

    /** An address as the socket wants it: the same object as long as it is in use. */
    private UdpAddress endpoint(InetSocketAddress address) {
        UdpAddress known = destinations.get(address);
        if (known == null) {
            if (destinations.size() >= MAX_DESTINATIONS) {
                destinations.clear();
            }
            known = new UdpAddress(address);
            destinations.put(address, known);
        }
        return known;
    }

    /** Whether a packet came from the device that listens there. */
    public boolean cameFrom(UdpAddress sender, InetSocketAddress device) {
        return sender.sendsFor(endpoint(device));
    }

    /**
     * To a process of this host, whose socket buffers are like ours, and which no slow link lies in front of, as many
     * as fit there; else the usual.
     */
    public int packetsInFlight(InetSocketAddress peer) {
        if (!peer.getAddress().isLoopbackAddress() || faulty()) {
            return FEWEST_IN_FLIGHT;
        }
        int fit = socket.receiveBuffer() / BUFFER_SHARE;
        return Math.clamp(fit, FEWEST_IN_FLIGHT, MOST_IN_FLIGHT);
    }

    /** Whether anything is sent or received. */
    public boolean isUp() {
        return up;
    }

    public void setUp(boolean now) {
        up = now;
    }

    /**
     * Whether packets have to go through the socket, even to this device itself, because something may happen to them.
     */
    public boolean faulty() {
        return !plan.settings().none();
    }

    /** Whether a packet came from this device itself. */
    public boolean cameFromHere(UdpAddress sender) {
        return sender.sendsFor(local) && sender.port == local.port;
    }

    /** Sends what has waited long enough. */
    public void release(long now) {
        faults.release(now);
    }

    /** When {@link #release} is to be called, 0 for never. */
    public long wakeAt() {
        return faults.wakeAt();
    }

    /**
     * Takes one packet off the socket.
     *
     * @return where it came from, until the next one, or null when the socket is empty
     */
    @Nullable
    public UdpAddress receive(Packet into) {
        for (int length; (length = socket.receive(from)) >= 0; ) {
            int at = socket.received();
            int packet = length - Icrc.BYTES;
            boolean intact = plausible(length) && intact(at, packet);
            if (up && decodes(into, memory, base, at, length, intact)) {
                return from;
            }
        }
        return null;
    }

    /**
     * Takes one packet that a lane has gathered.
     *
     * @return where it came from, or null if it is none
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

    /** Whether a datagram of that length may be a packet. */
    static boolean plausible(int length) {
        return length >= MIN_DATAGRAM && length <= LinkSocket.MAX_DATAGRAM && (length & 3) == 0;
    }

    private boolean intact(int at, int length) {
        return icrc.matches(memory.limit(memory.capacity()), at, length, from, local);
    }

    /**
     * Waits for a wake-up, and for a packet if it is to.
     *
     * @param nanos at most so long, negative for ever
     */
    public void await(long nanos, boolean forPackets) {
        socket.await(nanos, forPackets);
    }

    /** Ends a wait, this one or the next. Any thread. */
    public void wake() {
        socket.wake();
    }

    @Override
    public void close() {
        socket.close();
    }
}
