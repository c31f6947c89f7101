package io.rdma.samples.simulation.schedule;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Simulated thread.
 *
 * @param number in the order of their starts
 * @param owner what it belongs to
 * @param thread the virtual thread
 */
public record Task(int number, Owner owner, Thread thread) {
    /** Returns whether the thread has not ended, and will go on once it is ready. */
    public boolean isAlive() {
        return owner.isAlive() && thread.isAlive();
    }

    @Override
    public String toString() {
        return (owner + " " + number + " " + thread.getName()).stripTrailing();
    }

    /** Returns the method of the library that the thread is in. */
    String method() {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.rdma."))
                .filter(frame -> !frame.getClassName().startsWith("io.rdma.samples."))
                .findFirst()
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .orElse("an end");
    }

    /** Returns where the thread is. */
    public String where() {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("java.lang."))
                .limit(12)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }
}
