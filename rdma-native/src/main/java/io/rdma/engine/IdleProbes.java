package io.rdma.engine;

import java.util.Set;
import java.util.concurrent.TimeUnit;

// Invariants
// - There is no timer: the loop walks its endpoints once in the least interval of any of them, and each looks whether
// anything has happened on it since.
// - An endpoint is among the loop's before it says its interval, and a walk that finds none forgets the interval: both
// under the monitor, so an endpoint that joins meanwhile is walked to.

/**
 * The walk of a loop along its endpoints, so that those on which nothing happens find out whether their peer is there.
 */
final class IdleProbes {
    private static final int TURNS_TO_LOOK = 1 << 10;

    private final Set<RdmaEndpoint> endpoints;
    private volatile long interval = Long.MAX_VALUE; // the least
    private long walked = System.nanoTime(); // (loop)
    private int turns; // (loop)

    IdleProbes(Set<RdmaEndpoint> endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Has an endpoint walked to, which is among the loop's.
     *
     * @param nanos its interval; 0 for never
     * @return whether the loop, if it sleeps, has to learn of it
     */
    synchronized boolean joined(long nanos) {
        if (nanos == 0 || nanos >= interval) {
            return false;
        }
        interval = nanos;
        return true;
    }

    /** Looks at the clock now and then. Loop, each turn. */
    void turn() {
        if ((++turns & TURNS_TO_LOOK - 1) == 0) {
            walkIfDue();
        }
    }

    /** Loop. */
    void walkIfDue() {
        long least = interval;
        if (least == Long.MAX_VALUE) {
            return;
        }
        long now = System.nanoTime();
        if (now - walked < least) {
            return;
        }
        walked = now;
        for (RdmaEndpoint endpoint : endpoints) {
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

    /**
     * How long the loop may sleep. Loop.
     *
     * @return milliseconds, -1 for ever
     */
    int mayAwait() {
        long least = interval;
        if (least == Long.MAX_VALUE) {
            return -1;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(least - (System.nanoTime() - walked));
        return Math.clamp(left + 1, 1, Integer.MAX_VALUE);
    }
}
