package io.rdma.engine;

import io.rdma.types.RdmaException;
import io.rdma.types.WorkRequestOpcode;

/**
 * Error of a read or an atomic on a connection whose two sides agreed on none. Nothing was posted, and the connection
 * stays open.
 */
public final class NoReadsException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error of one operation.
     *
     * @param opcode opcode of the refused operation
     * @param reliable whether the connection is reliable, so that it could have some
     */
    public NoReadsException(WorkRequestOpcode opcode, boolean reliable) {
        super(opcode + " cannot be posted: "
                + (reliable
                        ? "the peer serves no RDMA reads and atomics on this connection (responder resources of 0)."
                                + " Have the peer offer some (maxRdAtomic, or responder_resources in its"
                                + " rdma_conn_param)"
                        : "an unreliable connection (QueuePairType.UC) has no RDMA reads and atomics: use a reliable"
                                + " connection (QueuePairType.RC)")
                + ", or send messages instead");
    }
}
