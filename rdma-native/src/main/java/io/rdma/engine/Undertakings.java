package io.rdma.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

// Invariant: who begins before the end is told to break off and waited for; who begins later is refused.

/** What is on its way on a device. Thread-safe. */
final class Undertakings {
    private final Set<Undertaking> begun = new HashSet<>(); // guarded by this
    private boolean ended; // guarded by this

    synchronized Undertaking begin(Runnable breakOff) {
        if (ended) {
            throw new IllegalStateException("the resources are closed: open new ones");
        }
        Undertaking one = new Undertaking(this, breakOff);
        begun.add(one);
        return one;
    }

    synchronized void ended(Undertaking one) {
        begun.remove(one);
        notifyAll();
    }

    /** Whether the caller would wait for itself. */
    synchronized boolean isOwner() {
        return begun.stream().anyMatch(one -> one.owner() == Thread.currentThread());
    }

    /** Refuses all from now on, breaks off those that are on their way, and returns when none is left. */
    void endAll() {
        List<Undertaking> left;
        synchronized (this) {
            ended = true;
            left = List.copyOf(begun);
        }
        left.forEach(Undertaking::breakOff);
        boolean interrupted = false;
        synchronized (this) {
            while (!begun.isEmpty()) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
