package io.rdma.engine;

/** Whatever takes operations: a connection, or an endpoint for datagrams. */
@FunctionalInterface
public interface Submitter {
    /**
     * Submits an operation; it is posted at once or when there is room, and ends exactly once.
     *
     * @param operation fresh
     * @throws IllegalStateException if its buffer is closed or in use in a way that excludes this; nothing was
     *     submitted then
     * @throws IllegalArgumentException if its message is too long; nothing was submitted then
     */
    void submit(Operation operation);
}
