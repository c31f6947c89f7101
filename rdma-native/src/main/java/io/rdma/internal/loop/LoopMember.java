package io.rdma.internal.loop;

/** A connection whose operations complete on a loop. The loop calls it. */
public interface LoopMember {
    /** Ends the connection because of a failure. */
    void fail(Throwable cause);

    /** Returns the quiet time after which it probes its peer, in nanoseconds; 0 for never. */
    long probeNanos();

    /** Probes the peer if there was no traffic for that time. */
    void probeIfQuiet(long now);

    /**
     * Finishes the close of an ending connection once nothing is in flight, or time is up.
     *
     * @return whether it is finished
     */
    boolean finishIfDrained();
}
