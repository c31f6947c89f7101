package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.Packet;

/** What sends the requests of a queue pair, by its transport. Device thread. */
public interface SendSide {
    /**
     * Starts anew behind what is posted so far.
     *
     * @param psn of the first packet
     */
    void reset(int psn);

    /** When {@link #run} must be called at the latest, 0 for never. */
    long wakeAt();

    /**
     * Sends what may go, within a bound.
     *
     * @return whether more is left that needs no event
     */
    boolean run(long now);

    /**
     * From RTS to SQD: what was begun goes on, nothing is begun.
     *
     * @param tell whether to tell of the end of it
     */
    void drain(boolean tell);

    /** Whether something that was begun has not ended. */
    boolean draining();

    /** A response of the peer. */
    void response(Packet packet, long now);
}
