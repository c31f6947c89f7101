package io.rdma.internal.engine;

import io.rdma.verbs.AsyncEvent;
import java.lang.System.Logger;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - At most CAPACITY events wait. When one more arrives, the oldest is dropped and counted.
// - The end happens once and is final: no event is added after it, but waiting events can still be taken.

/**
 * Queue of the asynchronous events of a device, {@code ibv_get_async_event(3)}, for one subscriber. The thread that
 * reads the device's events adds each of them, and the subscriber takes them. {@link DeviceResources#events} makes a
 * queue; it gets the events that the device reports from then on. Thread-safe.
 */
public final class EventBuffer implements AutoCloseable {
    /** Upper bound of the events that wait. Beyond it the oldest are dropped, as the latest show the current state. */
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
                                    "a subscriber does not take the device''s events: {0} is dropped, more may be",
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

    /** Notifies the subscriber. If it throws, only its own subscription ends. */
    private void tell() {
        try {
            changed.run();
        } catch (Throwable e) {
            log().log(Logger.Level.ERROR, "a subscriber of the device's events threw; it gets no more events", e);
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
     * Returns whether no event waits.
     *
     * @return true if there is none now
     */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Returns whether no event will be added any more: the resources or this subscription are closed, the subscriber
     * threw, or the events could not be read.
     *
     * @return true from then on; waiting events can still be taken
     */
    public synchronized boolean isEnded() {
        return ended;
    }

    /**
     * Returns why the events could not be read any more.
     *
     * @return null while they can be read, and after an orderly end
     */
    public synchronized @Nullable RuntimeException failure() {
        return failure;
    }

    /**
     * Returns the number of events dropped because {@link #CAPACITY} were waiting.
     *
     * @return since it was made
     */
    public synchronized long dropped() {
        return dropped;
    }

    /** Ends the subscription; waiting events can still be taken. A second call does nothing. */
    @Override
    public void close() {
        forget.accept(this);
        end(null);
    }

    private static Logger log() {
        return System.getLogger(EventBuffer.class.getName());
    }
}
