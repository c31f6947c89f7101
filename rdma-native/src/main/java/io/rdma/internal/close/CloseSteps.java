package io.rdma.internal.close;

import io.rdma.types.RdmaException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one close. Each step is tried even if an earlier one threw. The first failure is reported, with the
 * others suppressed in it. For one thread.
 */
public final class CloseSteps {
    /** One step. */
    @FunctionalInterface
    public interface Step {
        /**
         * Closes one object.
         *
         * @throws Throwable if it is not closed
         */
        void run() throws Throwable;
    }

    private @Nullable Throwable first;

    /** Creates a close without steps so far. */
    public CloseSteps() {}

    /**
     * Runs a step and records its failure.
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
            } else {
                suppress(first, t);
            }
        }
        return this;
    }

    /**
     * Adds a later failure to the first one, as suppressed. Does nothing if both are the same object, because Java
     * refuses that by an exception, which would hide the failure.
     *
     * @param first failure to be reported
     * @param later failure of a later step
     */
    public static void suppress(Throwable first, Throwable later) {
        if (first != later) {
            first.addSuppressed(later);
        }
    }

    /**
     * Returns the first failure, for an owner that does not {@link #report} it.
     *
     * @return with the others suppressed in it; null if every step succeeded
     */
    public @Nullable Throwable failure() {
        return first;
    }

    /**
     * Logs the first failure, if there is one, for an owner whose caller is gone.
     *
     * @param owner class whose log gets it
     * @param message what was closed
     */
    public void log(Class<?> owner, String message) {
        if (first != null) {
            System.getLogger(owner.getName()).log(first instanceof Error ? Level.ERROR : Level.WARNING, message, first);
        }
    }

    /** Throws the first failure, if there is one. A checked exception becomes the cause of an {@link RdmaException}. */
    public void report() {
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new RdmaException("closing failed: " + first.getMessage(), first);
        }
    }
}
