package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.Packet;

/** Sending side of a queue pair, specific to its transport. Device thread. */
public interface SendSide {
    /**
     * Restarts after the requests posted so far.
     *
     * @param psn PSN of the first packet
     */
    void reset(int psn);

    /** Returns the latest time for the next {@link #run}, as {@link System#nanoTime}; 0 for none. */
    long wakeAt();

    /**
     * Sends what may be sent now, within a bound.
     *
     * @return whether work remains that needs no further event
     */
    boolean run(long now);

    /**
     * Drains the send queue on the way from RTS to SQD. Requests in progress continue; no new one starts.
     *
     * @param tell whether to report the end by an event
     */
    void drain(boolean tell);

    /** Returns whether a request in progress has not ended. */
    boolean draining();

    /** Notes that the queue pair has another path: what is not acknowledged is sent again there. */
    default void migrated() {}

    /** Returns whether a response is one that the peer may send now, judged by its PSN. */
    default boolean isNear(Packet packet) {
        return true;
    }

    /** Handles a response of the peer. */
    void response(Packet packet, long now);
}
