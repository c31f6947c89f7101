package io.rdma.samples.bench.seam;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What providers guard a queue with, {@code pthread_spin_lock(3)}; held for some nanoseconds, never while anything
 * waits.
 */
final class SpinLock {
    private final AtomicBoolean held = new AtomicBoolean();

    void lock() {
        while (!held.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
    }

    void unlock() {
        held.setRelease(false);
    }
}
