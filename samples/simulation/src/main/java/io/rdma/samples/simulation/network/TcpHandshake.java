package io.rdma.samples.simulation.network;

import org.jspecify.annotations.Nullable;

/** A client's attempt to connect. */
final class TcpHandshake {
    boolean answered;

    /** The server's end; null if nothing listens there. */
    @Nullable
    TcpSocketImpl other;
}
