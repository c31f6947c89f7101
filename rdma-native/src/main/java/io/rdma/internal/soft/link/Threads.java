package io.rdma.internal.soft.link;

/** Utilities for threads. */
public final class Threads {
    private Threads() {}

    /** Waits until a thread has ended, despite interrupts. Restores the interrupt status. */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
