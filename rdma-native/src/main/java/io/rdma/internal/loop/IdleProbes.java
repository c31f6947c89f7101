package io.rdma.internal.loop;

import io.rdma.environment.Environment;
import java.util.Set;
import java.util.concurrent.TimeUnit;

// Invariants
// - There is no timer. The loop visits its endpoints once per interval, the shortest of all theirs, and each endpoint
// checks whether it had traffic since the last visit.
// - An endpoint is in the loop's set before it passes its interval to joined(). A walk that finds the set empty resets
// the interval. Both change the interval under the monitor, so an endpoint that joins meanwhile is not missed.

/** Periodic walk of a loop over its endpoints, so that quiet endpoints probe whether their peer is alive. */
final class IdleProbes {
    private static final int TURNS_TO_LOOK = 1 << 10;

    private final Set<LoopMember> endpoints;
    private volatile long interval = Long.MAX_VALUE; // nanoseconds, the shortest of all
    private final Environment environment;
    private long walked; // (loop)
    private int turns; // (loop)

    IdleProbes(Set<LoopMember> endpoints, Environment environment) {
        this.environment = environment;
        walked = environment.nanoTime();
        this.endpoints = endpoints;
    }

    /**
     * Takes the interval of an endpoint that is in the loop's set.
     *
     * @param nanos interval of the endpoint; 0 for never
     * @return whether a sleeping loop has to be woken, because the interval became shorter
     */
    synchronized boolean joined(long nanos) {
        if (nanos == 0 || nanos >= interval) {
            return false;
        }
        interval = nanos;
        return true;
    }

    /** Reads the clock now and then, and walks if a walk is due. Loop, each turn. */
    void turn() {
        if ((++turns & TURNS_TO_LOOK - 1) == 0) {
            walkIfDue();
        }
    }

    /**
     * Probes every quiet endpoint if the interval is over. Reads the clock once at most. Loop.
     *
     * @return milliseconds until the next walk, for which the loop may sleep; -1 for no limit
     */
    int walkIfDue() {
        long least = interval;
        if (least == Long.MAX_VALUE) {
            return -1;
        }
        long now = environment.nanoTime();
        if (now - walked >= least) {
            walk(now);
        }
        long left = TimeUnit.NANOSECONDS.toMillis(least - (now - walked));
        return Math.clamp(left + 1, 1, Integer.MAX_VALUE);
    }

    private void walk(long now) {
        walked = now;
        for (LoopMember endpoint : endpoints) {
            endpoint.probeIfQuiet(now);
        }
        if (endpoints.isEmpty()) {
            forget();
        }
    }

    private synchronized void forget() {
        if (endpoints.isEmpty()) {
            interval = Long.MAX_VALUE;
        }
    }
}
