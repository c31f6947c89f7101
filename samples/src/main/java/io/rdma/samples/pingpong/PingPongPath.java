package io.rdma.samples.pingpong;

import io.rdma.types.GidTableEntry;
import io.rdma.verbs.SendChain;

/**
 * The part of a ping-pong that differs between the transports: how its queue pair is brought up and addresses its peer.
 */
interface PingPongPath extends AutoCloseable {
    /** Moves the queue pair from RESET to INIT. */
    void init();

    /** Moves the queue pair from INIT to RTS, with the peer's address. */
    void up(GidTableEntry gid, PingPongAddress local, PingPongAddress remote);

    /** Adds to a send request what the transport needs, such as the destination. */
    default void address(SendChain chain) {}

    @Override
    default void close() {}
}
