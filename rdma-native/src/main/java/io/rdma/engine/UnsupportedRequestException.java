package io.rdma.engine;

import io.rdma.types.RdmaException;
import io.rdma.types.WorkRequestOpcode;

/**
 * Error of a request that the device, the peer's device or the type of connection does not have, such as an atomic on
 * iWARP. Nothing was posted, and the connection stays open.
 */
public final class UnsupportedRequestException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the error of one operation.
     *
     * @param opcode opcode of the refused operation
     * @param device name of the device
     * @param because what the device lacks, and what to use in place of it
     */
    public UnsupportedRequestException(WorkRequestOpcode opcode, String device, String because) {
        super(opcode + " cannot be posted: " + device + " " + because);
    }
}
