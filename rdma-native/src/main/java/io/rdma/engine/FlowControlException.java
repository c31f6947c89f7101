package io.rdma.engine;

import io.rdma.types.RdmaException;

/**
 * Failure of a connection whose peer sent more than was announced to it, into receive buffers that are shared with
 * other connections. The connection is ended.
 */
public final class FlowControlException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for a peer that violated flow control.
     *
     * @param message the limit that the peer exceeded
     */
    public FlowControlException(String message) {
        super(message);
    }
}
