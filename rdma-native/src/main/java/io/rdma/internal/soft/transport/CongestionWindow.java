package io.rdma.internal.soft.transport;

import io.rdma.internal.soft.link.UdpLink;
import io.rdma.internal.soft.wire.Psn;

// Invariants (device thread)
// - 1 <= packets <= most. It starts at `most`, which the socket buffer holds. On a link without loss it never shrinks.
// - Losses within one window reduce it only once, since further losses carry no new information.

/**
 * Number of packets of a queue pair that may be in flight over a link. It is halved after a loss, reset to one after a
 * timeout, and grows by one for each window that arrives. It follows TCP (RFC 5681), so that both share a link fairly.
 */
final class CongestionWindow {
    /** Factor for messages of one small packet each: the kernel charges less than 1 KiB of buffer for such a packet. */
    private static final int SMALL_FACTOR = 8;

    private static final int SMALL = 256;

    private int most = UdpLink.FEWEST_IN_FLIGHT;
    private int packets = UdpLink.FEWEST_IN_FLIGHT;
    private int arrived; // of this window
    private boolean recovering;
    private int recoveredAt; // PSN: once it has arrived, so have all packets sent before the loss

    /**
     * Restarts with a full window.
     *
     * @param mostPackets upper bound of packets in flight
     */
    void reset(int mostPackets) {
        most = mostPackets;
        packets = mostPackets;
        arrived = 0;
        recovering = false;
    }

    /** Returns how many packets may be in flight when sending a message of that size. */
    int packets(long messageBytes) {
        return messageBytes <= SMALL ? packets * SMALL_FACTOR : packets;
    }

    /** Returns how many response packets a read requests at once: the responses to two requests fill a window. */
    int answers() {
        return Math.max(1, packets / 2);
    }

    /** Notes that {@code count} more packets, up to a PSN, have arrived. */
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
     * Notes the loss of a packet.
     *
     * @param sent PSN of the last packet that was sent
     */
    void lost(int sent) {
        if (!recovering) {
            reduce(packets / 2, sent);
        }
    }

    /**
     * Notes a timeout of the transport.
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
