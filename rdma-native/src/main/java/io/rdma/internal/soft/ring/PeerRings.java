package io.rdma.internal.soft.ring;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Protocol: after OFFER_AFTER packets to a peer of this host, the device with the lower port makes a file of two rings
// and sends an offer, a datagram with its name. The peer maps the file and notes that in it. From then on both write
// packets into their ring. A reader that sleeps notes that in the ring, and the writer sends a knock, a datagram of one
// byte. No packet of RoCE has the length of either.
// Invariants
// - `rings` changes only in a turn. Memory is unmapped only in receive() and close(), so the
// thread that sleeps for packets, which alone receives then, may look at all rings without a turn.
// - A ring is read only when the socket holds no packet that its peer sent before it used the ring.
// - What a datagram says is checked: an offer names a file in the user's own directory, and counts only if it comes
// from a loopback address with a lower port.
// - Files are made and opened on threads of their own. At most MOST_PENDING are under way.

/** Rings of one device. In a turn, except for {@link #fallAsleep} and {@link #awake}. */
public final class PeerRings {
    /** System property: {@code false} sends all packets by UDP. */
    public static final String PROPERTY = "io.rdma.soft.sharedMemory";

    /** Sender of the datagrams by which rings are offered and readers woken. */
    public interface Carrier {
        /** Sends a datagram, at once. In a turn. */
        void carry(byte[] datagram, UdpAddress to);

        /** Sends the datagrams that are queued. In a turn. */
        void flush();

        /** Ends the wait for packets. Any thread. */
        void wake();
    }

    private static final int OFFER_AFTER = 32;
    private static final int OFFER_AGAIN = 1024;
    private static final int MOST_RINGS = 64;
    private static final int MOST_PENDING = 8;
    private static final int MOST_OFFERS = 3;
    private static final int BURST = 16; // packets of one ring before those of the next
    private static final int SOCKET_DUE = 64; // packets of rings before the socket is read
    private static final int IDLE_READS = 16; // reads that find nothing before the socket is read
    private static final int LOSSES_TO_LOOK = 64;
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Longest sleep of a device with rings: the kernel may lose a knock. */
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int NAME_BYTES = 16;
    private static final byte[] MAGIC = "jrdmRing1".getBytes(StandardCharsets.US_ASCII);
    private static final int OFFER_BYTES = MAGIC.length + 2 * NAME_BYTES; // 41: not a multiple of 4
    private static final byte[] KNOCK = {'k'};
    private static final HexFormat HEX = HexFormat.of();

    /** File that a thread has made or opened for a peer; null if it could not. */
    private record Made(UdpAddress peer, @Nullable RingFile file, boolean offered) {
        void close() {
            if (file != null) {
                file.close();
            }
        }
    }

    private final Environment environment;
    private final Carrier carrier;
    private final UdpAddress local;
    private final Path directory;
    private final Queue<Made> made = new ConcurrentLinkedQueue<>();
    private final List<UdpAddress> pending = new ArrayList<>();
    private final List<PeerRing> left = new ArrayList<>();
    private volatile PeerRing[] rings = {};
    private long failedAt; // nanoTime of the last file that could not be made; 0 for none
    private boolean closed; // guarded by `made`
    private boolean crowded; // since receive() looked: there may be a ring that is
    private int next;
    private int burst;
    private @Nullable PeerRing last; // from which a packet was read last
    private int sinceSocket;
    private long lost;
    private long carried;

    private PeerRings(Environment environment, Carrier carrier, UdpAddress local, Path directory) {
        this.environment = environment;
        this.carrier = carrier;
        this.local = local;
        this.directory = directory;
    }

    /**
     * Creates the rings of a device, of which there are none yet.
     *
     * @return null if the device cannot have any: its address is not a loopback address, the host has no memory for
     *     them, or they are switched off
     */
    public static @Nullable PeerRings of(Environment environment, Carrier carrier, UdpAddress local) {
        if (!isLoopback(local) || "false".equalsIgnoreCase(System.getProperty(PROPERTY))) {
            return null;
        }
        Path directory = RingDirectory.path();
        return directory == null ? null : new PeerRings(environment, carrier, local, directory);
    }

    private static boolean isLoopback(UdpAddress address) {
        return !address.ipv6 && address.low >>> 24 == 127;
    }

    /** Returns whether packets to a peer go through a ring. If not, counts one by UDP, and offers a ring in time. */
    public boolean reaches(Peer to) {
        PeerRing ring = to.ring;
        if (ring != null && ring.isUsable()) {
            if (to.sent > 0) {
                to.sent = 0;
                to.offers = 0;
                carrier.flush(); // what was sent by UDP is in the peer's socket before anything is in the ring
            }
            return true;
        }
        if (++to.sent % OFFER_AFTER == 0) {
            PeerRing found = find(to.address);
            to.ring = found;
            if (to.sent % OFFER_AGAIN == OFFER_AFTER) {
                offer(to, found);
            }
        }
        return false;
    }

    private void offer(Peer to, @Nullable PeerRing unaccepted) {
        if (unaccepted != null && unaccepted.isUsable()) {
            return; // it was accepted meanwhile
        }
        if (to.offers == MOST_OFFERS) { // the peer's process sees no such file, or has no rings
            if (unaccepted != null) {
                leave(unaccepted);
            }
            return;
        }
        to.offers++;
        if (unaccepted == null) {
            make(to.address);
        } else {
            carrier.carry(offer(unaccepted.name()), to.address); // the last one may be lost
        }
    }

    private @Nullable PeerRing find(UdpAddress peer) {
        for (PeerRing ring : rings) {
            if (ring.peer.same(peer)) {
                return ring;
            }
        }
        return null;
    }

    /** Writes a packet to a peer that {@link #reaches} is true of. A full ring loses it, as a full socket does. */
    public void send(Packet packet, Peer to) {
        PeerRing ring = to.ring;
        if (ring == null) {
            return;
        }
        if (ring.out.write(packet)) {
            carried++;
            ring.written = true;
            crowded |= ring.out.isCrowded();
        } else if (++lost % LOSSES_TO_LOOK == 0 && ring.isDeserted()) {
            leave(ring); // the transport goes on by UDP, and finds out that nobody is there
        }
    }

    /**
     * Returns whether a request or the answer to a read may be sent to a peer; the rest of a ring is for acknowledges.
     * If the reader has taken nothing for a time, packets are lost, so that the transport notices.
     */
    public boolean hasRoom(Peer to) {
        PeerRing ring = to.ring;
        return !crowded
                || ring == null
                || !ring.isUsable()
                || !ring.out.isCrowded()
                || ring.isStalled(environment.nanoTime(), STALLED_NANOS);
    }

    /** Returns whether a ring may be crowded. */
    public boolean isCrowded() {
        return crowded;
    }

    /** Wakes the readers that sleep. */
    public void flush() {
        for (PeerRing ring : rings) {
            if (ring.written) {
                ring.written = false;
                if (ring.out.wakes()) {
                    carrier.carry(KNOCK, ring.peer);
                } else if (ring.out.isLeft()) {
                    leave(ring);
                }
            }
        }
    }

    /** Returns the number of packets that a full ring has lost. */
    public long lost() {
        return lost;
    }

    /** Returns the number of packets that were written. */
    public long carried() {
        return carried;
    }

    private void make(UdpAddress peer) {
        boolean failed = failedAt != 0 && environment.nanoTime() - failedAt < RETRY_NANOS;
        if (failed || !isLoopback(peer) || !isLower(local, peer) || !mayBegin(peer)) {
            return;
        }
        byte[] random = new byte[NAME_BYTES];
        environment.random().nextBytes(random);
        begin(peer, HEX.formatHex(random), true);
    }

    private static boolean isLower(UdpAddress one, UdpAddress other) {
        return one.port != other.port ? one.port < other.port : one.low < other.low;
    }

    private boolean mayBegin(UdpAddress peer) {
        if (rings.length >= MOST_RINGS) {
            leaveDeserted();
        }
        return rings.length < MOST_RINGS
                && pending.size() < MOST_PENDING
                && pending.stream().noneMatch(peer::same);
    }

    /** Leaves the rings to processes that have ended. */
    private void leaveDeserted() {
        for (PeerRing ring : rings) {
            if (ring.isDeserted()) {
                leave(ring);
            }
        }
    }

    private void begin(UdpAddress peer, String name, boolean offered) {
        Path path = directory.resolve(name);
        pending.add(peer);
        environment.startOrRun("rdma-ring", () -> {
            RingFile file = null;
            try {
                file = offered ? RingFile.make(path) : RingFile.open(path);
            } catch (IOException | RuntimeException e) { // no memory, or an offer of a process that sees another one
                System.getLogger(PeerRings.class.getName()).log(Level.DEBUG, "no ring to a peer of this host", e);
            } finally {
                add(new Made(peer, file, offered));
            }
        });
    }

    /** Hands a file to the thread that receives, unless the device is closed: its descriptors may be another's then. */
    private void add(Made one) {
        synchronized (made) {
            if (!closed) {
                made.add(one);
                carrier.wake();
                return;
            }
        }
        one.close();
    }

    /** Handles a datagram that no packet can be. Returns whether it was one of this class. */
    public boolean isControl(ByteBuffer memory, int at, int length, UdpAddress from) {
        if (length == KNOCK.length && memory.get(at) == KNOCK[0]) {
            return true;
        }
        if (length != OFFER_BYTES) {
            return false;
        }
        byte[] offer = new byte[OFFER_BYTES];
        memory.limit(memory.capacity()).get(at, offer);
        String name = new String(offer, MAGIC.length, 2 * NAME_BYTES, StandardCharsets.US_ASCII);
        if (!Arrays.equals(offer, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || !name.chars().allMatch(HexFormat::isHexDigit)) {
            return false;
        }
        UdpAddress peer = from.copy();
        if (isLoopback(peer) && isLower(peer, local) && mayBegin(peer)) {
            begin(peer, name, false);
        }
        return true;
    }

    /** Takes over the files that threads have made or opened, and frees the memory of rings that were left. */
    private void takeOver() {
        left.forEach(PeerRing::unmap);
        left.clear();
        for (Made one; (one = made.poll()) != null; ) {
            pending.remove(one.peer());
            RingFile file = one.file();
            if (file == null) {
                if (one.offered()) { // such as no memory; of a peer's offer, its process may see another directory
                    failedAt = environment.nanoTime() | 1;
                }
                continue;
            }
            leaveDeserted();
            PeerRing before = find(one.peer());
            if (before != null) { // of a process that had the address before
                leave(before);
            }
            PeerRing[] more = Arrays.copyOf(rings, rings.length + 1);
            more[rings.length] = new PeerRing(one.peer(), file);
            rings = more;
            if (one.offered()) {
                carrier.carry(offer(file.name()), one.peer());
            } else {
                file.accept();
            }
        }
    }

    private static byte[] offer(String name) {
        return ByteBuffer.allocate(OFFER_BYTES)
                .put(MAGIC)
                .put(name.getBytes(StandardCharsets.US_ASCII))
                .array();
    }

    /**
     * Reads a packet from a ring.
     *
     * @return its sender; null if there is none, or if the socket has to be read first
     */
    public @Nullable UdpAddress receive(Packet into) {
        if (!made.isEmpty() || !left.isEmpty()) {
            takeOver();
        }
        PeerRing[] all = rings;
        if (crowded) {
            crowded = false;
            for (PeerRing ring : all) {
                crowded |= ring.out.isCrowded();
            }
        }
        for (int i = 0; i < all.length; i++) {
            next = next < all.length ? next : 0;
            PeerRing ring = all[next];
            if (!ring.isBehindSocket()) {
                sinceSocket += ring.in.hasNext() ? SOCKET_DUE : 0;
            } else if (!ring.isClosed()) {
                if (ring.in.read(into)) {
                    last = ring;
                    sinceSocket++;
                    if (++burst >= BURST) {
                        burst = 0;
                        next++;
                    }
                    return ring.peer;
                }
                if (ring.in.isBroken()) {
                    leave(ring);
                }
            }
            burst = 0;
            next++;
        }
        sinceSocket += SOCKET_DUE / IDLE_READS;
        return null;
    }

    /** Copies the packet that was read last. Returns its length. */
    public int copy(ByteBuffer to, int offset) {
        PeerRing ring = last;
        return ring == null ? 0 : ring.in.copy(to, offset);
    }

    /** Returns whether it is time to read the socket, before the rings. */
    public boolean isSocketDue() {
        return sinceSocket >= SOCKET_DUE || rings.length == 0;
    }

    /** Notes that the socket was read. */
    public void socketWasRead(boolean empty) {
        sinceSocket = empty ? 0 : SOCKET_DUE - BURST; // one packet of the socket for so many of the rings
        for (PeerRing ring : rings) {
            if (!ring.isBehindSocket() && ring.in.hasNext()) {
                ring.socketWasRead(empty);
            }
        }
    }

    private void leave(PeerRing ring) {
        ring.leave();
        left.add(ring);
        List<PeerRing> others = new ArrayList<>(List.of(rings));
        others.remove(ring);
        rings = others.toArray(PeerRing[]::new);
    }

    /** Leaves the ring to an address if its process has ended: another one may have the address now. */
    public void connecting(UdpAddress peer) {
        PeerRing ring = find(peer);
        if (ring != null && ring.isDeserted()) {
            leave(ring);
        }
    }

    /** Returns how long to sleep at most, if that long was wanted; negative for no limit. */
    public long bounded(long nanos) {
        return rings.length == 0 || nanos >= 0 && nanos < LONGEST_SLEEP_NANOS ? nanos : LONGEST_SLEEP_NANOS;
    }

    /**
     * Notes that the thread that receives is about to sleep, so that writers wake it.
     *
     * @return false if there is work; the thread is awake then
     */
    public boolean fallAsleep() {
        PeerRing[] all = rings;
        for (PeerRing ring : all) {
            ring.in.asleep(true);
        }
        VarHandle.fullFence(); // a writer publishes, and then reads whether the reader sleeps
        boolean work = !made.isEmpty();
        for (PeerRing ring : all) {
            work |= ring.in.hasNext() && !ring.isClosed();
        }
        if (work) {
            awake();
        }
        return !work;
    }

    /** Notes that the thread that receives is awake. */
    public void awake() {
        for (PeerRing ring : rings) {
            ring.in.asleep(false);
        }
    }

    /** Frees all memory. No thread receives or sends any more. */
    public void close() {
        synchronized (made) {
            closed = true;
        }
        made.forEach(Made::close);
        made.clear();
        for (PeerRing ring : rings) {
            leave(ring);
        }
        left.forEach(PeerRing::unmap);
        left.clear();
    }
}
