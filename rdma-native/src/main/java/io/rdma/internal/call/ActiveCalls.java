package io.rdma.internal.call;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// Invariants
// - A request is in `active` from when it is accepted until its answer is sent.
// - `idle` runs once, when the calls were stopped and `active` is empty.

/**
 * Requests of one connection that a server processes. Thread-safe.
 *
 * @param <W> type of the work on a request
 */
public final class ActiveCalls<W> {
    private final int bound;
    private final Runnable idle;
    private final Map<Integer, W> active = new HashMap<>();
    private boolean stopped;
    private boolean idleRan;

    /**
     * Creates an empty set.
     *
     * @param bound maximum number of requests at a time
     * @param idle runs when the calls were stopped and all requests have their answers
     */
    public ActiveCalls(int bound, Runnable idle) {
        this.bound = bound;
        this.idle = idle;
    }

    /**
     * Accepts a request.
     *
     * @param id its number
     * @param work what to do for it
     * @throws io.rdma.call.RdmaCallException if it is refused
     */
    public synchronized void begin(int id, W work) {
        if (stopped) {
            throw CallErrors.stopping();
        }
        if (active.size() >= bound) {
            throw CallErrors.busy(bound);
        }
        if (active.putIfAbsent(id, work) != null) {
            throw CallErrors.duplicate(id);
        }
    }

    /**
     * Returns the work on a request.
     *
     * @param id number of the request
     * @return the work, or null if there is none
     */
    public synchronized @Nullable W get(int id) {
        return active.get(id);
    }

    /**
     * Removes a request, which has its answer.
     *
     * @param id its number
     */
    public void end(int id) {
        synchronized (this) {
            active.remove(id);
        }
        runIfIdle();
    }

    /** Accepts no more requests. */
    public void stop() {
        synchronized (this) {
            stopped = true;
        }
        runIfIdle();
    }

    /**
     * Returns the work on all requests.
     *
     * @return a copy
     */
    public synchronized List<W> all() {
        return new ArrayList<>(active.values());
    }

    private void runIfIdle() {
        synchronized (this) {
            if (!stopped || !active.isEmpty() || idleRan) {
                return;
            }
            idleRan = true;
        }
        idle.run();
    }
}
