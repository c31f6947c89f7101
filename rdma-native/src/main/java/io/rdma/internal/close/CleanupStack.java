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

    @Override
    public void close() {
        while (!made.isEmpty()) {
            try {
                made.pop().close();
            } catch (Exception e) {
                System.getLogger(CleanupStack.class.getName()).log(System.Logger.Level.WARNING, "clean-up failed", e);
            }
        }
    }
}
