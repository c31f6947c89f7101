package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.Packet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - A ring is first read when the socket holds no packet that its peer sent before it used the ring.
// - Neither a busy ring nor a busy socket keeps the others from being read.

/** Order in which a device reads its rings and its socket. In a turn. */
final class RingReads {
    private static final int BURST = 16; // packets of one ring before those of the next
    private static final int SOCKET_DUE = 64; // packets of rings before the socket is read
    private static final int IDLE_READS = 16; // reads that find nothing before the socket is read

    private final Consumer<PeerRing> leave;
    private int next;
    private int burst;
    private int sinceSocket;
    private boolean socketBusy;

    /**
     * Creates the order.
     *
     * @param leave takes a ring that is not to be read any more
     */
    RingReads(Consumer<PeerRing> leave) {
        this.leave = leave;
    }

    /**
     * Reads a packet.
     *
     * @return its ring; null if there is none, or if the socket has to be read first
     */
    @Nullable
    PeerRing read(PeerRing[] all, Packet into) {
        for (int i = 0; i < all.length; i++) {
            next = next < all.length ? next : 0;
            PeerRing ring = all[next];
            if (ring.isBehindSocket() && ring.in.read(into)) {
                noteRead();
                return ring;
            }
            if (ring.in.isBroken() || ring.isDone()) {
                leave.accept(ring);
            } else if (ring.in.hasNext()) { // it is not behind the socket, or a packet has come in between
                sinceSocket += SOCKET_DUE;
            }
            burst = 0;
            next++;
        }
        sinceSocket += SOCKET_DUE / IDLE_READS;
        return null;
    }

    private void noteRead() {
        sinceSocket++;
        if (++burst >= BURST) {
            burst = 0;
            next++;
        }
    }

    /** Returns whether it is time to read the socket, before the rings. */
    boolean isSocketDue() {
        return sinceSocket >= SOCKET_DUE;
    }

    /** Returns whether the socket held a packet when it was read last. */
    boolean isSocketBusy() {
        return socketBusy;
    }

    /** Notes that the socket was read. */
    void socketWasRead(PeerRing[] all, boolean empty) {
        socketBusy = !empty;
        sinceSocket = empty ? 0 : SOCKET_DUE - BURST; // one packet of the socket for so many of the rings
        for (PeerRing ring : all) {
            if (!ring.isBehindSocket() && ring.in.hasNext()) {
                ring.socketWasRead(empty);
            }
        }
    }
}
