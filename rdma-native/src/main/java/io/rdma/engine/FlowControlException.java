package io.rdma.engine;

import io.rdma.verbs.RdmaException;

/**
 * The peer sent more than it was told that there is room for, from receive buffers that it shares with others: its
 * connection is ended.
 */
public final class FlowControlException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * A peer that broke the flow control.
     *
     * @param message which window it went beyond
     */
    FlowControlException(String message) {
        super(message);
    }
}
