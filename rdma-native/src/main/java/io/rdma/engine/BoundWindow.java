package io.rdma.engine;

import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.RemoteMemory;

/**
 * A part of a region that the peer of one connection may use, through a memory window of type 2, until this is closed:
 * see {@link RdmaEndpoint#bind}.
 *
 * <p>Each has a window of its own, {@code ibv_alloc_mw(3)}, which is not bound again: closing it frees it, so a key
 * that was given away is never good for anything else. That is a system call at each end. Who opens and shuts memory
 * for every request binds one {@link MemoryWindow} again and again, without any: {@link io.rdma.verbs.SendChain#bind}.
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
     * Whether it was closed. A peer that sent with invalidate has revoked it without that, and the message says so: its
     * {@link io.rdma.buffer.ReceivedMessage#invalidatedKey} is the key of {@link #remote}. It is to be closed all the
     * same.
     *
     * @return true from the first {@link #close} on
     */
    public boolean isClosed() {
        return window.isClosed();
    }

    /**
     * Revokes it: when this returns, no request of the peer's gets through any more, and one that comes ends the
     * connection. Any thread; a system call. A second call does nothing.
     */
    @Override
    public void close() {
        window.close();
    }
}
