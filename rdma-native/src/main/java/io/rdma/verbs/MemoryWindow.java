package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Mw;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.RemoteMemory;
import java.util.ArrayList;
import java.util.List;

// Invariant: `held` contains the regions to which the window is or may be bound. Each entry retains its region once,
// until the window is known to be unbound. Only the application learns of an invalidation by the peer, and reports it
// by `revoked`.

/**
 * A memory window, {@code ibv_alloc_mw(3)}. It grants a peer access to a part of a region under a key of its own, and
 * revokes it, without registering memory. One thread at a time may bind it.
 *
 * <p>The region stays registered while the window may be bound to it, that is until {@link #close} or {@link #revoked}.
 * Close the window before its queue pair and its protection domain.
 */
public final class MemoryWindow extends NativeObject {
    private static final int KEY_MASK = 0xff;

    private final MemoryWindowType type;
    private final List<MemoryRegion> held = new ArrayList<>();
    private volatile RemoteMemory remote;

    MemoryWindow(Verbs verbs, Mw mw, MemoryWindowType type) {
        super(verbs, mw.handle());
        this.type = type;
        this.remote = new RemoteMemory(0, 0, mw.rkey());
    }

    /**
     * Returns the type, which decides how the window is bound and revoked.
     *
     * @return the type
     */
    public MemoryWindowType type() {
        return type;
    }

    /**
     * Returns the description of the last binding for the peer: the part and its key. The application may send it to
     * the peer once that binding has completed, or at once by a send that is posted behind the binding on the same
     * queue pair.
     *
     * @return the description; its length is 0 until the first binding
     */
    public RemoteMemory remote() {
        return remote;
    }

    /**
     * Reports that the binding was revoked: by a local invalidation or an empty binding that completed, or by the peer.
     * The regions may then be deregistered.
     */
    public void revoked() {
        List<MemoryRegion> free;
        synchronized (held) {
            free = List.copyOf(held);
            held.clear();
        }
        free.forEach(MemoryRegion::release);
    }

    void requireType(MemoryWindowType wanted) {
        if (type != wanted) {
            throw new IllegalArgumentException("a window of " + type + " is bound by "
                    + (type == MemoryWindowType.TYPE_1 ? "QueuePair.bind" : "a work request, SendChain.bind"));
        }
    }

    /** Returns the key for the next binding, after which the peer cannot use the present key. */
    int nextKey() {
        int now = remote.rkey();
        return now & ~KEY_MASK | now + 1 & KEY_MASK;
    }

    /** Retains the region of a binding, before the binding is posted. */
    void hold(MemoryWindowBinding to) {
        if (to.length() > 0) {
            to.region().retain();
            synchronized (held) {
                if (!isClosed()) {
                    held.add(to.region());
                    return;
                }
            }
            to.region().release(); // close has already released all of `held`
        }
    }

    /** Sets the description of the binding for the peer. */
    void named(RemoteMemory to) {
        remote = to;
    }

    /** Writes the key of a posted type 2 binding to C's {@code ibv_mw}, which C leaves to the application. */
    void posted(int rkey) {
        synchronized (held) { // the binding may complete, and the window be closed, before the post returns
            if (!isClosed()) {
                verbs.windows().setMwRkey(handle(), rkey);
            }
        }
    }

    /** Frees the window and revokes its binding. */
    @Override
    public void close() {
        super.close();
    }

    @Override
    void destroy(long handle) {
        synchronized (held) {
            verbs.windows().deallocMw(handle);
        }
        revoked();
    }
}
