package io.rdma.internal.engine;

import java.lang.System.Logger.Level;

// Invariant: a set-up is not broken off after its end.

/**
 * A set-up in progress that needs an open device, such as a connection from before its queue pair is made until its
 * endpoint has joined a loop. Thread-safe.
 */
public final class PendingSetup implements AutoCloseable {
    private final PendingSetups all;
    private final Thread owner;
    private final Runnable breakOff;
    private boolean ended; // guarded by this

    PendingSetup(PendingSetups all, Runnable breakOff) {
        this.all = all;
        this.owner = Thread.currentThread();
        this.breakOff = breakOff;
    }

    Thread owner() {
        return owner;
    }

    synchronized void breakOff() {
        if (ended) {
            return;
        }
        try {
            breakOff.run();
        } catch (Throwable e) { // the other set-ups must be broken off, too
            System.getLogger(PendingSetup.class.getName())
                    .log(Level.WARNING, "a connection set-up was not cancelled", e);
        }
    }

    /** Ends the set-up: every object that it made has an owner or is closed again. A second call does nothing. */
    @Override
    public void close() {
        synchronized (this) {
            ended = true;
        }
        all.ended(this);
    }
}
