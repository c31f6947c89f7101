package io.rdma.engine;

import io.rdma.types.RdmaException;

/** Error of a use that needs every message, on an unreliable connection, which may lose some. */
public final class UnreliableConnectionException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param user what needs a reliable connection, in the plural
     */
    public UnreliableConnectionException(String user) {
        super(user + " need a reliable connection, and this one may lose messages (QueuePairType.UC): set queuePairType"
                + " to RC on both sides");
    }
}
