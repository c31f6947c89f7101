package io.rdma.engine;

import io.rdma.verbs.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one close. Each is tried whatever those before it threw; the first failure is reported, the others are
 * suppressed in it. Of one thread.
 */
public final class CloseSteps {
    /** One step. */
    @FunctionalInterface
    public interface Step {
        /**
         * Closes one thing.
         *
         * @throws Throwable if it is not closed
         */
        void run() throws Throwable;
    }

    private @Nullable Throwable first;

    /** No step taken yet. */
    public CloseSteps() {}

    /**
     * Takes a step.
     *
     * @param step may throw
     * @return this
     */
    public CloseSteps run(Step step) {
        try {
            step.run();
        } catch (Throwable t) {
            if (first == null) {
                first = t;
            } else if (first != t) {
                first.addSuppressed(t);
            }
        }
        return this;
    }

    /** Throws the first failure, if there is one. A checked exception becomes the cause of an {@link RdmaException}. */
    public void report() {
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new RdmaException("a close did not succeed: " + first.getMessage(), first);
        }
    }
}
