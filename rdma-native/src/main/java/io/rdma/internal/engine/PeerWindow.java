package io.rdma.internal.engine;

import io.rdma.engine.BoundWindow;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryWindow;

/** A memory window of type 2, as its application sees it. */
record PeerWindow(MemoryWindow window) implements BoundWindow {
    @Override
    public RemoteMemory remote() {
        return window.remote();
    }

    @Override
    public boolean isClosed() {
        return window.isClosed();
    }

    @Override
    public void close() {
        window.close();
    }
}
