package io.rdma.structures;

import io.rdma.engine.RdmaEndpoint;

/**
 * Memory of a structure at its host. Clients use it without the host's processor. The host admits clients, and so
 * knows when a client can write no more. Thread-safe. Only this library implements it.
 */
public interface StructureMemory extends AutoCloseable {
    /**
     * Admits the client of a connection. It gets a writer number of its own, which ends with the connection. What the
     * client holds then is free at once.
     *
     * @param client endpoint of the host's side of the connection, of the resources that hold this memory
     * @return the location, to be sent to the client
     * @throws IllegalArgumentException if the connection has another protection domain, so that its client could not
     *     reach the memory
     * @throws StructureException TOO_MANY_WRITERS if {@link StructureLocation#MAX_WRITER} - 1 clients are admitted
     */
    StructureLocation admit(RdmaEndpoint client);

    /**
     * Returns the size.
     *
     * @return bytes of registered memory
     */
    long bytes();

    /**
     * Deregisters and frees the memory. A later operation of a client ends its connection, so close the connections
     * first. An operation of this process, also one that waits, fails with {@link IllegalStateException}. A second call
     * does nothing.
     */
    @Override
    void close();
}
