package io.rdma.internal.soft.ring;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.wire.UdpAddress;
import java.io.IOException;
import java.lang.System.Logger.Level;
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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

// Protocol: the device with the lower port makes a file of two rings and sends an offer, a datagram with its name. The
// peer opens the file and notes that in it. No packet of RoCE has the length of an offer.
// Invariants
// - An offer is not trusted: it names a file in the user's own directory, and counts only if it comes
// from a loopback address with a lower port.
// - Files are made and opened on threads of their own, at most MOST_PENDING at once and one for each peer. A peer is
// pending until its file is taken.
// - A file is in `made`, with the rings, or closed. A device that is closed takes none.

/** Offers of rings, to and from devices of this host. In a turn, except for the threads of its own. */
final class RingOffers {
    private static final int MOST_PENDING = 8;
    private static final int NAME_BYTES = 16;
    private static final byte[] MAGIC = "jrdmRing2".getBytes(StandardCharsets.US_ASCII);
    /** Length of an offer, which no packet has: it is not a multiple of 4. */
    static final int BYTES = MAGIC.length + 2 * NAME_BYTES;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final HexFormat HEX = HexFormat.of();

    /**
     * File for a peer.
     *
     * @param offered whether this device has made it; otherwise the peer has
     */
    record Made(UdpAddress peer, RingFile file, boolean offered) {}

    private final Environment environment;
    private final PeerRings.Carrier carrier;
    private final UdpAddress local;
    private final Queue<Made> made = new ConcurrentLinkedQueue<>();
    private final List<UdpAddress> pending = new ArrayList<>(); // guarded by itself
    private long failedAt; // guarded by pending; nanoTime of the last file that could not be made; 0 for none
    private boolean closed; // guarded by pending

    RingOffers(Environment environment, PeerRings.Carrier carrier, UdpAddress local) {
        this.environment = environment;
        this.carrier = carrier;
        this.local = local;
    }

    /** Returns whether only processes of this host have an address. */
    static boolean isLoopback(UdpAddress address) {
        return !address.ipv6 && address.low >>> 24 == 127;
    }

    private static boolean isLower(UdpAddress one, UdpAddress other) {
        return one.port != other.port ? one.port < other.port : one.low < other.low;
    }

    /** Makes a file for a peer, unless the peer is to make it or one could not be made a moment ago. */
    void make(UdpAddress peer) {
        if (!isLoopback(peer) || !isLower(local, peer) || hasFailed()) {
            return;
        }
        byte[] random = new byte[NAME_BYTES];
        environment.random().nextBytes(random);
        begin(peer, HEX.formatHex(random), true);
    }

    private boolean hasFailed() {
        synchronized (pending) {
            return failedAt != 0 && environment.nanoTime() - failedAt < RETRY_NANOS;
        }
    }

    private void begin(UdpAddress peer, String name, boolean offered) {
        synchronized (pending) {
            if (pending.size() >= MOST_PENDING || pending.stream().anyMatch(peer::same)) {
                return;
            }
            pending.add(peer);
        }
        environment.startOrRun("rdma-ring", () -> {
            RingFile file = null;
            try {
                Path path = RingDirectory.path().resolve(name);
                file = offered ? RingFile.make(path) : RingFile.open(path);
            } catch (IOException | RuntimeException e) { // no memory, or the peer's process sees another directory
                System.getLogger(RingOffers.class.getName()).log(Level.DEBUG, "no ring to a peer of this host", e);
            } finally {
                end(peer, file, offered);
            }
        });
    }

    private void end(UdpAddress peer, @Nullable RingFile file, boolean offered) {
        synchronized (pending) { // with the wake-up: a device that is closed has given its descriptors back
            if (file != null && !closed) {
                made.add(new Made(peer, file, offered));
                carrier.wake();
                return;
            }
            pending.remove(peer);
            failedAt = offered ? environment.nanoTime() | 1 : failedAt;
        }
        if (file != null) {
            file.close();
        }
    }

    /**
     * Handles a datagram of that length, if it is an offer: opens the file that it names.
     *
     * @param hasPlace whether the device takes another ring
     */
    boolean isOffer(ByteBuffer memory, int at, UdpAddress from, BooleanSupplier hasPlace) {
        byte[] offer = new byte[BYTES];
        memory.limit(memory.capacity()).get(at, offer);
        String name = new String(offer, MAGIC.length, 2 * NAME_BYTES, StandardCharsets.US_ASCII);
        if (!Arrays.equals(offer, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || !name.chars().allMatch(HexFormat::isHexDigit)) {
            return false;
        }
        UdpAddress peer = from.copy();
        if (isLoopback(peer) && isLower(peer, local) && hasPlace.getAsBoolean()) {
            begin(peer, name, false);
        }
        return true;
    }

    /** Returns whether a file waits. Any thread. */
    boolean hasMade() {
        return !made.isEmpty();
    }

    /** Takes a file. */
    @Nullable
    Made poll() {
        Made one = made.poll();
        if (one != null) {
            synchronized (pending) {
                pending.remove(one.peer());
            }
        }
        return one;
    }

    /** Tells a peer of a file whose rings this device reads from now on. */
    void tell(Made one) {
        if (one.offered()) {
            send(one.file().name(), one.peer());
        } else {
            one.file().accept();
        }
    }

    /** Sends an offer. */
    void send(String name, UdpAddress peer) {
        byte[] offer = ByteBuffer.allocate(BYTES)
                .put(MAGIC)
                .put(name.getBytes(StandardCharsets.US_ASCII))
                .array();
        carrier.carry(offer, peer);
    }

    /** Closes the files that nobody has taken, now and later. */
    void close() {
        synchronized (pending) {
            closed = true;
        }
        for (Made one; (one = made.poll()) != null; ) {
            one.file().close();
        }
    }
}
