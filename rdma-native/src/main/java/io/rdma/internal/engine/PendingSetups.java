package io.rdma.internal.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// Invariant: a set-up that begins before the end is broken off and waited for; a later one is refused.

/** The set-ups in progress on a device. Thread-safe. */
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

    /** Returns whether set-ups are refused. */
    synchronized boolean isEnded() {
        return ender != null;
    }

    /** Returns whether the caller is the thread that ended all set-ups, or is ending them. */
    synchronized boolean isEndedByCaller() {
        return ender == Thread.currentThread();
    }

    synchronized void ended(PendingSetup one) {
        begun.remove(one);
        notifyAll();
    }

    /**
     * Does nothing if the calling thread is not in the midst of a set-up.
     *
     * @throws IllegalStateException if it is
     */
    synchronized void requireNotWithin() {
        if (begun.stream().anyMatch(one -> one.owner() == Thread.currentThread())) {
            throw new IllegalStateException(
                    "a connection set-up cannot close the resources that it uses, because the close waits for it:"
                            + " close them on another thread");
        }
    }

    /**
     * Refuses set-ups from now on, breaks off those in progress, and returns when none is left.
     *
     * @return false if an earlier call did that or is doing it
     * @throws IllegalStateException if the caller would wait for itself, see {@link #requireNotWithin}
     */
    boolean endAll() {
        List<PendingSetup> left;
        synchronized (this) {
            requireNotWithin();
            if (ender != null) {
                return false;
            }
            left = List.copyOf(begun); // before the change below, since it may throw
            ender = Thread.currentThread();
        }
        left.forEach(PendingSetup::breakOff);
        boolean interrupted = false;
        // This waits with wait(), not with a future. Before JDK 24 a virtual thread whose caller holds a monitor keeps
        // its carrier while it waits, and the set-ups that it waits for may need that carrier. wait() makes up for it.
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
