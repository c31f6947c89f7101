package io.rdma.internal.soft.transport;

import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - 1 <= packets <= MOST. It starts at MOST, which a default socket buffer holds: on a link that loses nothing it is
// never less.
// - One window is reduced once: what else of it is lost says nothing new.

/**
 * How many packets of a queue pair may be in flight over a link: half as many after a loss, one after a timeout, one
 * more for each window that arrives. As TCP's (RFC 5681), so that both get their share of a link.
 */
final class CongestionWindow {
    /** Packets: 16 of 4 KiB fit a default socket buffer with room for others. */
    static final int USUAL = UdpLink.FEWEST_IN_FLIGHT;

    /** So many times as much of messages that are a small packet each: the system counts less than 1 KiB for it. */
    private static final int SMALL_FACTOR = 8;

    private static final int SMALL = 256;

    private int most = USUAL;
    private int packets = USUAL;
    private int arrived; // of this window
    private boolean recovering;
    private int recoveredAt; // PSN: what was sent before the loss has arrived then

    /** @param mostPackets in flight, however well it goes */
    void reset(int mostPackets) {
        most = mostPackets;
        packets = mostPackets;
        arrived = 0;
        recovering = false;
    }

    /** Packets in flight before one of a message of so many bytes is sent. */
    int packets(long messageBytes) {
        return messageBytes <= SMALL ? packets * SMALL_FACTOR : packets;
    }

    /** How much a read asks for at once: the answers to two requests are a window. */
    int answers() {
        return Math.max(1, packets / 2);
    }

    /** Packets up to a PSN, so many more than before, have arrived. */
    void arrived(int count, int upTo) {
        if (recovering && Psn.diff(upTo, recoveredAt) >= 0) {
            recovering = false;
        }
        arrived += count;
        while (arrived >= packets && packets < most) {
            arrived -= packets++;
        }
        arrived = Math.min(arrived, most);
    }

    /**
     * A packet was lost.
     *
     * @param sent PSN of the last packet that was sent
     */
    void lost(int sent) {
        if (!recovering) {
            reduce(packets / 2, sent);
        }
    }

    /**
     * Nothing came for a long time.
     *
     * @param sent PSN of the last packet that was sent
     */
    void timedOut(int sent) {
        reduce(1, sent);
    }

    private void reduce(int to, int sent) {
        packets = Math.max(1, to);
        arrived = 0;
        recovering = true;
        recoveredAt = sent;
    }
}
