package io.rdma.samples;

import io.rdma.verbs.GidTableEntry;
import io.rdma.verbs.SendChain;

/** How a ping-pong's queue pair comes up and reaches its peer: what differs between the transports. */
interface PingPongPath extends AutoCloseable {
    /** From RESET to INIT. */
    void init();

    /** From INIT to RTS, towards the peer. */
    void up(GidTableEntry gid, PingPongAddress local, PingPongAddress remote);

    /** Completes a send request. */
    default void address(SendChain chain) {}

    @Override
    default void close() {}
}
