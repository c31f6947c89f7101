package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What all verbs objects share: the library they belong to, their handle, and a {@code close} that happens once. */
abstract class NativeObject implements AutoCloseable {
    final Verbs verbs;
    private final long handle;
    private final @Nullable OpenObjects siblings; // null: nothing has to outlive it
    private final AtomicBoolean closed = new AtomicBoolean();

    NativeObject(Verbs verbs, long handle) {
        this(verbs, handle, null);
    }

    /** An object that its device has to outlive. */
    NativeObject(Verbs verbs, long handle, @Nullable OpenObjects siblings) {
        this.verbs = verbs;
        this.handle = handle;
        this.siblings = siblings;
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
     * @throws VerbsException if something still uses it (EBUSY). After this, as after any other failure, it stays open
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                destroy(handle);
            } catch (Throwable e) { // not destroyed: its handle must not be lost
                closed.set(false);
                throw e;
            }
            if (siblings != null) {
                siblings.destroyed();
            }
        }
    }

    abstract void destroy(long handle);

    /**
     * Wakes a thread that waits inside the library. An attempt that fails is made once more, because that thread, and
     * all that wait for it, would sleep on.
     *
     * @param attempt by a call of the library
     */
    static void wake(Runnable attempt) {
        try {
            attempt.run();
        } catch (Throwable lost) {
            attempt.run();
        }
    }
}
