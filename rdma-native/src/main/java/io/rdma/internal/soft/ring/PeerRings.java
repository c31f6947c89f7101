package io.rdma.internal.soft.ring;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - `rings` changes only in a turn. Memory is unmapped only in receive() and close(), so the thread that sleeps for
// packets, which alone receives then, may look at all rings without a turn.

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
    private static final int MOST_RINGS = 64;
    private static final int LOSSES_TO_LOOK = 64;
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest sleep of a device with rings: the kernel may lose a knock. */
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final byte[] KNOCK = {'k'};

    private final Environment environment;
    private final Carrier carrier;
    private final RingOffers offers;
    private final List<PeerRing> left = new ArrayList<>();
    private volatile PeerRing[] rings = {};
    private volatile boolean woken;
    private boolean crowded; // since receive() looked: there may be a ring that is
    private final RingReads reads = new RingReads(this::leave);
    private long lookedAt; // for processes that have ended
    private long lost;
    private long carried;

    private PeerRings(Environment environment, Carrier carrier, UdpAddress local) {
        this.environment = environment;
        this.carrier = carrier;
        offers = new RingOffers(environment, carrier, local);
    }

    /**
     * Creates the rings of a device, of which there are none yet.
     *
     * @return null if the device cannot have any: its address is not a loopback address, or they are switched off
     */
    public static @Nullable PeerRings of(Environment environment, Carrier carrier, UdpAddress local) {
        if (!RingOffers.isLoopback(local) || "false".equalsIgnoreCase(System.getProperty(PROPERTY))) {
            return null;
        }
        return new PeerRings(environment, carrier, local);
    }

    /** Returns whether packets to a peer go through a ring. If not, counts one by UDP, and offers a ring in time. */
    public boolean reaches(Peer to) {
        PeerRing ring = to.ring;
        if (ring != null && ring.isUsable()) {
            if (to.sent > 0) {
                to.sent = 0;
                carrier.flush(); // what was sent by UDP is in the peer's socket before anything is in the ring
            }
            return true;
        }
        if (++to.sent % OFFER_AFTER == 0) {
            to.ring = find(to.address);
            offer(to, to.ring);
        }
        return false;
    }

    /** Returns whether packets to a peer go through a ring, without a count of them. */
    public boolean joins(Peer to) {
        PeerRing ring = to.ring;
        return ring != null && ring.isUsable();
    }

    private void offer(Peer to, @Nullable PeerRing made) {
        long now = environment.nanoTime();
        if (made == null) {
            if (!to.refuses && hasPlace()) {
                offers.make(to.address);
            }
        } else if (made.isGivenUp(now)) { // the peer's process sees no such file, or has no rings
            to.refuses = true;
            leave(made);
        } else if (made.asksAgain(now)) {
            offers.send(made.name(), to.address);
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
        } else if (ring.out.isLeft() || ring.out.isBroken() || ++lost % LOSSES_TO_LOOK == 0 && ring.isDeserted()) {
            ring.end(); // the transport goes on by UDP, and finds out whether the peer is there
        }
    }

    /**
     * Returns whether a request or the answer to a read may be sent to a peer. The rest of a ring is for acknowledges
     * and the answers to atomics. If the reader has taken nothing for a time, packets are lost, so that the transport
     * notices.
     */
    public boolean hasRoom(Peer to) {
        PeerRing ring = to.ring;
        return !crowded
                || ring == null
                || !ring.isUsable()
                || !ring.out.isCrowded()
                || ring.out.isLeft()
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
                    ring.end();
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

    /** Ends the rings to processes that have ended, and leaves those that were not accepted. */
    private void endDeserted(long now) {
        lookedAt = now;
        for (PeerRing ring : rings) {
            if (ring.isGivenUp(now)) {
                leave(ring);
            } else if (ring.isDeserted()) {
                ring.end();
            }
        }
    }

    private boolean hasPlace() {
        long now = environment.nanoTime();
        if (rings.length >= MOST_RINGS && now - lookedAt >= LOOK_NANOS) {
            endDeserted(now);
        }
        return rings.length < MOST_RINGS;
    }

    /** Handles a datagram that is no packet. Returns whether it was one of this class. */
    public boolean isControl(ByteBuffer memory, int at, int length, UdpAddress from) {
        return length == KNOCK.length && memory.get(at) == KNOCK[0]
                || length == RingOffers.BYTES && offers.isOffer(memory, at, from, this::hasPlace);
    }

    /** Takes over the files that threads have made or opened, and frees the memory of rings that were left. */
    private void takeOver() {
        left.forEach(PeerRing::unmap);
        left.clear();
        for (RingOffers.Made one; (one = offers.poll()) != null; ) {
            long now = environment.nanoTime();
            endDeserted(now);
            PeerRing before = find(one.peer());
            if (before != null) { // of a process that had the address before
                leave(before);
            }
            PeerRing[] more = Arrays.copyOf(rings, rings.length + 1);
            more[rings.length] = new PeerRing(one.peer(), one.file(), now);
            rings = more;
            offers.tell(one);
        }
    }

    /**
     * Reads a packet from a ring.
     *
     * @return its sender; null if there is none, or if the socket has to be read first
     */
    public @Nullable UdpAddress receive(Packet into) {
        if (offers.hasMade() || !left.isEmpty()) {
            takeOver();
        }
        PeerRing[] all = rings;
        if (crowded) {
            crowded = false;
            for (PeerRing ring : all) {
                crowded |= ring.out.isCrowded();
            }
        }
        PeerRing read = reads.read(all, into);
        return read == null ? null : read.peer;
    }

    /** Returns whether it is time to read the socket before the rings. */
    public boolean isSocketDue() {
        if (woken) {
            woken = false;
            return true;
        }
        return rings.length == 0 || reads.isSocketDue();
    }

    /** Returns whether the socket held a packet when it was read last. */
    public boolean isSocketBusy() {
        return reads.isSocketBusy();
    }

    /** Notes that the socket was read. */
    public void socketWasRead(boolean empty) {
        reads.socketWasRead(rings, empty);
    }

    private void leave(PeerRing ring) {
        if (ring.isClosed()) {
            return;
        }
        ring.leave();
        left.add(ring);
        List<PeerRing> others = new ArrayList<>(List.of(rings));
        others.remove(ring);
        rings = others.toArray(PeerRing[]::new);
    }

    /** Ends the ring to an address if its process has ended: another one may have the address now. */
    public void connecting(Peer to) {
        to.refuses = false;
        PeerRing ring = find(to.address);
        if (ring != null && ring.isDeserted()) {
            ring.end();
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
        boolean work = offers.hasMade();
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
        woken = true; // by a datagram, perhaps
        for (PeerRing ring : rings) {
            ring.in.asleep(false);
        }
    }

    /** Frees all memory. No thread receives or sends any more. */
    public void close() {
        offers.close();
        for (PeerRing ring : rings) {
            leave(ring);
        }
        left.forEach(PeerRing::unmap);
        left.clear();
    }
}
