package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import java.util.concurrent.atomic.AtomicBoolean;

/** What all verbs objects share: the library they belong to, their handle, and a {@code close} that happens once. */
abstract class NativeObject implements AutoCloseable {
    final Verbs verbs;
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    NativeObject(Verbs verbs, long handle) {
        this.verbs = verbs;
        this.handle = handle;
    }

    /**
     * The handle for a call.
     *
     * @throws IllegalStateException if closed
     */
    final long handle() {
        if (closed.get()) {
            throw new IllegalStateException(getClass().getSimpleName() + " is closed");
        }
        return handle;
    }

    /**
     * Whether it was closed.
     *
     * @return true once {@link #close} was called
     */
    public final boolean isClosed() {
        return closed.get();
    }

    /** Whether this is an open object of that handle. */
    final boolean isOpen(long candidate) {
        return candidate == handle && !closed.get();
    }

    /**
     * Destroys the object; a second call does nothing.
     *
     * @throws VerbsException if something still uses it (EBUSY); it stays open then
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                destroy(handle);
            } catch (VerbsException e) {
                closed.set(false);
                throw e;
            }
        }
    }

    abstract void destroy(long handle);
}
