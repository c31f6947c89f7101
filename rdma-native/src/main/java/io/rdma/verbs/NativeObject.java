package io.rdma.verbs;

import io.rdma.environment.Environment;
import io.rdma.internal.ffi.Verbs;
import io.rdma.types.VerbsException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The base class of all verbs objects: the library that an object belongs to, its handle, and a {@code close} that
 * takes effect once.
 */
abstract class NativeObject implements AutoCloseable {
    final Verbs verbs;
    private final long handle;
    private final @Nullable OpenObjects siblings; // null: no object has to outlive it
    private final AtomicBoolean closed = new AtomicBoolean();

    NativeObject(Verbs verbs, long handle) {
        this(verbs, handle, null);
    }

    /** Creates an object that its device has to outlive. */
    NativeObject(Verbs verbs, long handle, @Nullable OpenObjects siblings) {
        this.verbs = verbs;
        this.handle = handle;
        this.siblings = siblings;
    }

    /**
     * Returns the handle for a call.
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
     * Returns whether the object was closed.
     *
     * @return true once {@link #close} was called
     */
    public final boolean isClosed() {
        return closed.get();
    }

    /**
     * Returns the clock, threads and randomness of the device. For this project's modules.
     *
     * @return the environment
     */
    public final Environment environment() {
        return verbs.environment();
    }

    /** Returns whether this object is open and has the given handle. */
    final boolean isOpen(long candidate) {
        return candidate == handle && !closed.get();
    }

    /**
     * Destroys the object. A second call does nothing.
     *
     * @throws VerbsException if another object still uses it (EBUSY). After this, as after any other failure, it
     *     stays open
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
     * Wakes a thread that waits inside the library. A failed attempt is repeated once: otherwise that thread, and all
     * threads that wait for it, would sleep on.
     *
     * @param attempt the wake-up, a call of the library
     */
    static void wake(Runnable attempt) {
        try {
            attempt.run();
        } catch (Throwable lost) {
            attempt.run();
        }
    }
}
