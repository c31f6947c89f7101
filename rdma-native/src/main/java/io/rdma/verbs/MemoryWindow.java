package io.rdma.verbs;

import io.rdma.internal.ffi.Mw;
import io.rdma.internal.ffi.Verbs;
import java.util.ArrayList;
import java.util.List;

// Invariant: `held` are the regions that the window is or may be bound to; each is retained once per entry, until the
// window is known to be free: a peer's invalidation is known to the application alone.

/**
 * A memory window, {@code ibv_alloc_mw(3)}: it gives a peer rights to a part of a region under a key of its own, and
 * takes them back, without registering memory. One thread binds it at a time.
 *
 * <p>The region stays registered while the window may be bound to it: until {@link #close}, or {@link #revoked}. Close
 * it before its queue pair and its domain.
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
     * How it is bound.
     *
     * @return its type
     */
    public MemoryWindowType type() {
        return type;
    }

    /**
     * What the peer is to get: the part and key of the last binding. It may be told once that binding completed, or at
     * once by a send on the same queue pair behind it.
     *
     * @return of length 0 as long as nothing was bound
     */
    public RemoteMemory remote() {
        return remote;
    }

    /**
     * Says that its binding was revoked, by a local invalidation or an empty binding that completed, or by the peer:
     * its regions may be deregistered.
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

    /** The key after the next binding: the peer cannot use the present one then. */
    int nextKey() {
        int now = remote.rkey();
        return now & ~KEY_MASK | now + 1 & KEY_MASK;
    }

    /** Takes hold of the region of a binding, before it is posted. */
    void hold(MemoryWindowBinding to) {
        if (to.length() > 0) {
            to.region().retain();
            synchronized (held) {
                if (!isClosed()) {
                    held.add(to.region());
                    return;
                }
            }
            to.region().release(); // the close has let go of all that was held
        }
    }

    /** How the peer will name what it is bound to. */
    void named(RemoteMemory to) {
        remote = to;
    }

    /** The binding of a type 2 window was posted: the library's copy of the key is the application's duty. */
    void posted(int rkey) {
        synchronized (held) { // the binding may complete, and its window be closed, before the post returns
            if (!isClosed()) {
                verbs.windows().setMwRkey(handle(), rkey);
            }
        }
    }

    /** Frees the window; what was bound is revoked. */
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
