package io.rdma.engine;

import io.rdma.verbs.AsyncEvent;
import java.lang.System.Logger;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - At most CAPACITY events wait; when one more comes the oldest goes, and is counted.
// - The end comes once and is the last: nothing is added after it, what waits can still be taken.

/**
 * The asynchronous events of a device that one subscriber has not taken yet, {@code ibv_get_async_event(3)}; made by
 * {@link RdmaResources#events}. Events from before it was made are not in it. Any thread.
 */
public final class EventBuffer implements AutoCloseable {
    /** Most events that wait; of more, the oldest are dropped: the latest say what is. */
    public static final int CAPACITY = 256;

    private final Runnable changed;
    private final Consumer<EventBuffer> forget;
    private final ArrayDeque<AsyncEvent> waiting = new ArrayDeque<>(); // guarded by this
    private long dropped; // guarded by this
    private @Nullable RuntimeException failure; // guarded by this
    private boolean ended; // guarded by this

    EventBuffer(Runnable changed, Consumer<EventBuffer> forget) {
        this.changed = changed;
        this.forget = forget;
    }

    void add(AsyncEvent event) {
        synchronized (this) {
            if (ended) {
                return;
            }
            if (waiting.size() == CAPACITY) {
                AsyncEvent lost = waiting.remove();
                if (dropped++ == 0) {
                    log().log(
                                    Logger.Level.WARNING,
                                    "a subscriber of the device''s events does not take them: {0} is dropped, more may be",
                                    lost);
                }
            }
            waiting.add(event);
        }
        tell();
    }

    void end(@Nullable RuntimeException cause) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            failure = cause;
        }
        tell();
    }

    /** A subscriber's fault may end its own subscription only. */
    private void tell() {
        try {
            changed.run();
        } catch (Throwable e) {
            log().log(Logger.Level.ERROR, "a subscriber of the device's events failed, and gets no more", e);
            forget.accept(this);
            synchronized (this) {
                ended = true;
            }
        }
    }

    /**
     * Takes the oldest event. Does not block.
     *
     * @return null when there is none now
     */
    public synchronized @Nullable AsyncEvent poll() {
        return waiting.poll();
    }

    /**
     * Whether an event waits.
     *
     * @return true if there is none now
     */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Whether no event will be added any more: the resources are closed, this is, or the events could not be read.
     *
     * @return true once it is so; what waits can still be taken
     */
    public synchronized boolean isEnded() {
        return ended;
    }

    /**
     * Why the events could not be read any more.
     *
     * @return null while they can be, and after an orderly end
     */
    public synchronized @Nullable RuntimeException failure() {
        return failure;
    }

    /**
     * How many events were dropped because {@link #CAPACITY} waited.
     *
     * @return since it was made
     */
    public synchronized long dropped() {
        return dropped;
    }

    /** Ends the subscription; what waits can still be taken. A second call does nothing. */
    @Override
    public void close() {
        forget.accept(this);
        end(null);
    }

    private static Logger log() {
        return System.getLogger(EventBuffer.class.getName());
    }
}
