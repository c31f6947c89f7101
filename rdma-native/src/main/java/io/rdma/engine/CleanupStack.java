package io.rdma.engine;

import java.util.ArrayDeque;

/** Closes what a half-done construction has made, newest first, unless it is kept. */
public final class CleanupStack implements AutoCloseable {
    private final ArrayDeque<AutoCloseable> made = new ArrayDeque<>();

    /** Nothing made yet. */
    public CleanupStack() {}

    /**
     * Remembers something to close.
     *
     * @param <T> its type
     * @param resource made just now
     * @return the same
     */
    public <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    /** The construction succeeded: {@link #close} does nothing. */
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
