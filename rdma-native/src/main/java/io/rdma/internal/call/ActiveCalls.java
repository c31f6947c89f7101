package io.rdma.internal.call;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// Invariants
// - A request is in `active` from when it is accepted until its answer is sent.
// - A request is processed until its answer is handed to the connection. From then on it is in `answering`, too. The
// client may have the answer, and send the next request, before the device reports here that the answer was delivered:
// an acknowledgement may be lost. So only requests that are processed count for `bound`.
// - The answers that the client has and that are not reported as delivered are in the send queue, which has room for
// `answers`. So a client that keeps to `bound` never meets the second limit, and one that takes no answers does.
// - `idle` runs once, when the calls were stopped and `active` is empty.

/**
 * Requests of one connection that a server processes. Thread-safe.
 *
 * @param <W> type of the work on a request
 */
public final class ActiveCalls<W> {
    private final int bound;
    private final int answers;
    private final Runnable idle;
    private final Map<Integer, W> active = new HashMap<>();
    private final Set<Integer> answering = new HashSet<>();
    private boolean stopped;
    private boolean idleRan;

    /**
     * Creates an empty set.
     *
     * @param bound maximum number of requests that are processed at a time
     * @param answers depth of the send queue of the connection
     * @param idle runs when the calls were stopped and all requests have their answers
     */
    public ActiveCalls(int bound, int answers, Runnable idle) {
        this.bound = bound;
        this.answers = answers;
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
        if (active.size() - answering.size() >= bound || active.size() - bound >= answers) {
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
     * Notes that a request is processed. Called before its answer is handed to the connection. A second call changes
     * nothing.
     *
     * @param id its number
     */
    public synchronized void answering(int id) {
        if (active.containsKey(id)) {
            answering.add(id);
        }
    }

    /**
     * Removes a request, which has its answer.
     *
     * @param id its number
     */
    public void end(int id) {
        synchronized (this) {
            active.remove(id);
            answering.remove(id);
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
