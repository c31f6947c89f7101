package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.Packet;

/** What receives for a queue pair, by its transport. Device thread. */
public interface ReceiveSide {
    /**
     * Starts anew.
     *
     * @param psn expected of the first packet
     */
    void reset(int psn);

    /**
     * Does what is due after requests, within a bound.
     *
     * @return whether more is left that needs no event
     */
    boolean run();

    /** A request packet that came from where it may. */
    void request(Packet packet);
}
