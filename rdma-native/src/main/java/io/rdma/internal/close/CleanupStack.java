package io.rdma.internal.close;

import java.util.ArrayDeque;

/** Stack of the resources of an unfinished construction, which closes them, newest first, unless they are kept. */
public final class CleanupStack implements AutoCloseable {
    private final ArrayDeque<AutoCloseable> made = new ArrayDeque<>();

    /** Creates an empty stack. */
    public CleanupStack() {}

    /**
     * Adds a resource to close.
     *
     * @param <T> its type
     * @param resource just made
     * @return the same resource
     */
    public <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    /** Keeps the resources, after the construction succeeded: {@link #close} does nothing. */
    public void keep() {
        made.clear();
    }

    /**
     * Closes the resources, newest first. Each is closed even if the close of another threw. The first failure is
     * logged, with the others suppressed in it. It is not thrown: the failure of the construction is the one that the
     * caller needs, and try-with-resources would fail if both were the same object.
     */
    @Override
    public void close() {
        CloseSteps steps = new CloseSteps();
        while (!made.isEmpty()) {
            steps.run(made.pop()::close);
        }
        steps.log(CleanupStack.class, "clean-up failed");
    }
}
