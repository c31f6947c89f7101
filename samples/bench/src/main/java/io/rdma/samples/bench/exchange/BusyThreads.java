package io.rdma.samples.bench.exchange;

import java.io.IOException;

/** A program that does nothing but keep processors busy. */
public final class BusyThreads {
    private static long busy;

    private BusyThreads() {}

    /**
     * Runs the threads until the parent process ends.
     *
     * @param arguments number of threads
     * @throws IOException if the parent process cannot be watched
     */
    public static void main(String[] arguments) throws IOException {
        for (int thread = Integer.parseInt(arguments[0]); thread > 0; thread--) {
            Thread.ofPlatform().daemon().name("busy").start(BusyThreads::count);
        }
        OtherJvm.untilTheEnd();
    }

    /** Counts without a pause, as a program that computes would. */
    private static void count() {
        for (long number = 0; true; number++) {
            busy = number;
        }
    }
}
