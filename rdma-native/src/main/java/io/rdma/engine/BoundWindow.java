package io.rdma.engine;

import io.rdma.types.RemoteMemory;

/**
 * A part of a region that the peer of one connection may use, through a memory window of type 2, until this is closed:
 * see the front-ends' {@code bind}. This library alone implements it.
 *
 * <p>Each part has a window of its own, {@code ibv_alloc_mw(3)}, which is not bound again. Closing it frees the window,
 * so a key that was given away is never valid for other memory. Both allocation and close are system calls. Use {@link
 * io.rdma.verbs.SendChain#bind} to open and close memory for every request without system calls: it binds one {@link
 * io.rdma.verbs.MemoryWindow} again and again.
 */
public interface BoundWindow extends AutoCloseable {
    /**
     * Returns the address and key for the peer.
     *
     * @return part and key
     */
    RemoteMemory remote();

    /**
     * Returns whether it was closed. A peer that sends with invalidate revokes it without a close, and the message
     * reports that: its {@link io.rdma.buffer.ReceivedMessage#invalidatedKey} is the key of {@link #remote}. It must
     * still be closed.
     *
     * @return true from the first {@link #close} on
     */
    boolean isClosed();

    /**
     * Revokes it. When this returns, no request of the peer can use it any more, and one that tries ends the
     * connection. Any thread; a system call. A second call does nothing.
     */
    @Override
    void close();
}
