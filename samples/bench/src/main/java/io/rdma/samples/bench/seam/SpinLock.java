package io.rdma.samples.bench.seam;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lock like {@code pthread_spin_lock(3)}, with which providers guard a queue. It is held for some nanoseconds, and
 * never during a wait.
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
