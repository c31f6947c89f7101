package io.rdma.engine;

import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.RemoteMemory;

/**
 * A part of a region that the peer of one connection may use, through a memory window of type 2, until this is closed: see {@link RdmaEndpoint#bind}.
 */
public final class BoundWindow implements AutoCloseable {
    private final MemoryWindow window;

    BoundWindow(MemoryWindow window) {
        this.window = window;
    }

    /**
     * What the peer is to get.
     *
     * @return part and key
     */
    public RemoteMemory remote() {
        return window.remote();
    }

    /**
     * Whether it was closed; a peer that sent with invalidate has revoked it without that.
     *
     * @return true from the first {@link #close} on
     */
    public boolean isClosed() {
        return window.isClosed();
    }

    /**
     * Revokes it: when this returns, no request of the peer's gets through any more, and one that comes ends the connection. Any thread; a system call.
     * A second call does nothing.
     */
    @Override
    public void close() {
        window.close();
    }
}
