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

    /** Handles a request packet from an allowed sender. */
    void request(Packet packet);
}
