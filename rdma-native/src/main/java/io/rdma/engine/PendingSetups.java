package io.rdma.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// Invariant: who begins before the end is told to break off and waited for; who begins later is refused.

/** What is on its way on a device. Thread-safe. */
final class PendingSetups {
    private final Set<PendingSetup> begun = new HashSet<>(); // guarded by this
    private @Nullable Thread ender; // guarded by this: the thread of the first endAll

    synchronized PendingSetup begin(Runnable breakOff) {
        if (ender != null) {
            throw new IllegalStateException("the resources are closed: open new ones");
        }
        PendingSetup one = new PendingSetup(this, breakOff);
        begun.add(one);
        return one;
    }

    /** Whether the caller is the thread that ended all, or does so now. */
    synchronized boolean isEndedByCaller() {
        return ender == Thread.currentThread();
    }

    synchronized void ended(PendingSetup one) {
        begun.remove(one);
        notifyAll();
    }

    /**
     * Refuses all from now on, breaks off those that are on their way, and returns when none is left.
     *
     * @return false if that was done, or begun, before
     * @throws IllegalStateException if the caller would wait for itself
     */
    boolean endAll() {
        List<PendingSetup> left;
        synchronized (this) {
            if (begun.stream().anyMatch(one -> one.owner() == Thread.currentThread())) {
                throw new IllegalStateException(
                        "resources cannot be closed by what is being established on them: it would wait for itself");
            }
            if (ender != null) {
                return false;
            }
            ender = Thread.currentThread();
            left = List.copyOf(begun);
        }
        left.forEach(PendingSetup::breakOff);
        boolean interrupted = false;
        // Not a future: before JDK 24 a virtual thread that holds a monitor of its caller's would keep its carrier from
        // those it waits for, which wait() makes up for.
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
        return true;
    }
}
