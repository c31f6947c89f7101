package io.rdma.internal.connect;

import java.net.InetSocketAddress;

/** Source of a {@link ConnectionHome} for each client that a listener admits. */
public interface ConnectionHomes {
    /**
     * Makes a home for a client that has authenticated and whose parameters are in order. Called on the thread of its
     * exchange; may block, while the client waits. What it throws refuses the client.
     *
     * @param client address of the client
     * @return a new home
     */
    ConnectionHome homeFor(InetSocketAddress client);
}
