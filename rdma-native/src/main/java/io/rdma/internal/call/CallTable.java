package io.rdma.internal.call;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - At most `bound` calls are in `inFlight`. A call is there from its admission until its answer has arrived, also if
// its caller has gone: the server still processes it, and may refuse more than it accepts at a time.
// - A call waits in `waiting` only while `inFlight` is full.
// - Calls are notified outside the lock: each is either admitted or failed, or was withdrawn; after its admission it is
// failed only by `end`.

/**
 * Requests of one client: those that the server has, and those that wait for room. Thread-safe.
 *
 * @param <C> type of the calls
 */
public final class CallTable<C extends CallTable.Call> {
    /** One request. */
    public interface Call {
        /**
         * There is room: the request is to be sent.
         *
         * @param id its number
         */
        void admitted(int id);

        /**
         * No answer will come.
         *
         * @param failure the reason
         */
        void failed(RuntimeException failure);
    }

    /** Next number in this process: a late answer to one client is never taken for an answer to a later one. */
    private static final AtomicInteger IDS = new AtomicInteger();

    private final int bound;
    private final Map<Integer, C> inFlight = new HashMap<>();
    private final Deque<C> waiting = new ArrayDeque<>();
    private @Nullable RuntimeException ended;

    private record Admission<C>(int id, C call) {}

    /**
     * Creates an empty table.
     *
     * @param bound maximum number of requests in flight
     */
    public CallTable(int bound) {
        if (bound < 1) {
            throw new IllegalArgumentException("maxInFlight is " + bound + ": use 1 or more");
        }
        this.bound = bound;
    }

    /**
     * Adds a call, which is admitted now or when there is room.
     *
     * @param call call to add
     */
    public void submit(C call) {
        RuntimeException failure;
        Admission<C> admission = null;
        synchronized (this) {
            failure = ended;
            if (failure == null) {
                waiting.add(call);
                admission = next();
            }
        }
        if (failure != null) {
            call.failed(failure);
        } else {
            admit(admission);
        }
    }

    /**
     * Removes a call that waits.
     *
     * @param call call to remove
     * @return false if it was admitted or has ended
     */
    public synchronized boolean withdraw(C call) {
        return waiting.remove(call);
    }

    /**
     * Removes a call, because its answer has arrived or it was never sent. The next one is admitted.
     *
     * @param id number of the call
     * @return the call, or null if there is none
     */
    public @Nullable C answered(int id) {
        C call;
        Admission<C> admission = null;
        synchronized (this) {
            call = inFlight.remove(id);
            if (call != null) {
                admission = next();
            }
        }
        admit(admission);
        return call;
    }

    /**
     * Fails all calls, and those that are added later.
     *
     * @param failure the reason
     */
    public void end(RuntimeException failure) {
        List<C> calls;
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = failure;
            calls = new ArrayList<>(inFlight.values());
            calls.addAll(waiting);
            inFlight.clear();
            waiting.clear();
        }
        calls.forEach(call -> call.failed(failure));
    }

    /**
     * Returns the number of requests without an answer.
     *
     * @return at most the bound
     */
    public synchronized int inFlight() {
        return inFlight.size();
    }

    private @Nullable Admission<C> next() {
        if (inFlight.size() >= bound || waiting.isEmpty()) {
            return null;
        }
        int id = IDS.incrementAndGet();
        C call = waiting.remove();
        inFlight.put(id, call);
        return new Admission<>(id, call);
    }

    private void admit(@Nullable Admission<C> admission) {
        if (admission != null) {
            admission.call().admitted(admission.id());
        }
    }
}
