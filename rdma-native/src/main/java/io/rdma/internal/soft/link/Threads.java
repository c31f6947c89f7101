package io.rdma.internal.soft.link;

/** Waiting for threads. */
public final class Threads {
    private Threads() {}

    /** Waits until a thread has ended, whatever interrupts. */
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
