package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.Packet;

/** Receiving side of a queue pair, specific to its transport. Device thread. */
public interface ReceiveSide {
    /**
     * Restarts.
     *
     * @param psn expected PSN of the first packet
     */
    void reset(int psn);

    /**
     * Sends responses that are due, within a bound.
     *
     * @return whether work remains that needs no further event
     */
    boolean run();

    /** Returns whether a request packet is one that the peer may send now, judged by its PSN. */
    default boolean isNear(Packet packet) {
        return true;
    }

    /** Handles a request packet from an allowed sender. */
    void request(Packet packet);
}
