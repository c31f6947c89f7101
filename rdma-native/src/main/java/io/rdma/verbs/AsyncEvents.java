package io.rdma.verbs;

import io.rdma.internal.ffi.AsyncEventEntry;
import io.rdma.internal.ffi.Verbs;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

// Invariant: the reader is inside the library only with the lock and after a look whether this is open; so once close
// has had the lock nobody waits on the device, and it may be closed.

/**
 * The asynchronous events of an open device, {@code ibv_get_async_event(3)}: one thread waits and takes, any thread
 * wakes or closes. The events of a device are one stream, so there is one reader of it; events that nobody reads stay
 * with the device. To be closed before the device.
 */
public final class AsyncEvents extends NativeObject {
    private final ReentrantLock reader = new ReentrantLock();

    AsyncEvents(Verbs verbs, long context) {
        super(verbs, context);
    }

    /**
     * Waits for an event, a {@link #wake} or {@link #close}.
     *
     * @param timeoutMillis most milliseconds to wait; 0 does not wait, -1 is forever
     * @return whether an event is there for {@link #take}
     * @throws IllegalStateException if closed before
     */
    public boolean await(int timeoutMillis) {
        reader.lock();
        try {
            return verbs.pollAsyncEvents(handle(), timeoutMillis);
        } finally {
            reader.unlock();
        }
    }

    /** Ends an {@link #await} that waits, or the next one: a wake-up is remembered once. Any thread. */
    public void wake() {
        long context = handle();
        wake(() -> verbs.wakeAsyncEvents(context));
    }

    /**
     * Takes one event, {@code ibv_get_async_event(3)} and {@code ibv_ack_async_event(3)}. Does not block.
     *
     * @return the event, or null when there is none
     * @throws IllegalStateException if closed
     */
    public @Nullable AsyncEvent take() {
        reader.lock();
        try {
            AsyncEventEntry entry = verbs.getAsyncEvent(handle());
            return entry == null ? null : new AsyncEvent(entry);
        } finally {
            reader.unlock();
        }
    }

    /** Ends an {@link #await} that waits; once this returns the device may be closed. */
    @Override
    void destroy(long context) {
        wake(() -> verbs.wakeAsyncEvents(context));
        reader.lock();
        try {
            verbs.pollAsyncEvents(context, 0); // the wake-up is not for the next reader
        } finally {
            reader.unlock();
        }
    }
}
