package io.rdma.internal.engine;

/** Target of operations: a connection, or an endpoint for datagrams. */
@FunctionalInterface
public interface Submitter {
    /**
     * Submits an operation. It is posted at once, or when there is room. It ends exactly once.
     *
     * @param operation new, or ended
     * @throws IllegalStateException if the operation is in flight, or if its buffer is closed or in conflicting use;
     *     nothing was submitted then
     * @throws IllegalArgumentException if its message is too long; nothing was submitted then
     */
    void submit(Operation operation);
}
