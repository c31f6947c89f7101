package io.rdma.internal.engine;

import io.rdma.types.RdmaException;

/** Failure of a connection whose peer sent what the message protocol does not have. The connection is aborted. */
public final class BrokenProtocolException extends RdmaException {
    private static final long serialVersionUID = 1L;

    BrokenProtocolException(String how) {
        super("the peer broke the message protocol: " + how);
    }
}
