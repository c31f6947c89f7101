package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.AsyncEventEntry;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

// Invariant: a thread waits or takes inside the library only while it holds `reader` and after it has checked that this
// object is open. Once destroy has held `reader`, no thread waits on the device, and the device may be closed.

/**
 * The asynchronous events of an open device, {@code ibv_get_async_event(3)}. One thread waits and takes; any thread may
 * wake or close. The events of a device are one stream, so only one reader may be open. Events that are not read stay
 * with the device. Close this object before the device.
 */
public final class AsyncEvents extends NativeObject {
    private final ReentrantLock reader = new ReentrantLock();

    AsyncEvents(Verbs verbs, long context) {
        super(verbs, context);
    }

    /**
     * Waits for an event, a {@link #wake} or {@link #close}.
     *
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits without limit
     * @return whether {@link #take} has an event to take
     * @throws IllegalStateException if closed before the call
     */
    public boolean await(int timeoutMillis) {
        reader.lock();
        try {
            return verbs.pollAsyncEvents(handle(), timeoutMillis);
        } finally {
            reader.unlock();
        }
    }

    /** Ends the current {@link #await}, or else the next one. At most one wake-up is remembered. Any thread. */
    public void wake() {
        long context = handle();
        wake(() -> verbs.wakeAsyncEvents(context));
    }

    /**
     * Takes one event, {@code ibv_get_async_event(3)}, and acknowledges it, {@code ibv_ack_async_event(3)}. Does
     * not block.
     *
     * @return the event, or null if there is none
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

    /** Ends the current {@link #await}. Once this method returns, the device may be closed. */
    @Override
    void destroy(long context) {
        wake(() -> verbs.wakeAsyncEvents(context));
        reader.lock();
        try {
            // Consumes the wake-up, so that the next reader does not see it. As long as it fails, the device stays
            // open.
            wake(() -> verbs.pollAsyncEvents(context, 0));
        } finally {
            reader.unlock();
        }
    }
}
