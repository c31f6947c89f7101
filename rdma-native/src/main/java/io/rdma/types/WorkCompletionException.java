package io.rdma.types;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a work request, {@code ibv_poll_cq(3)}. From then on the queue pair is in ERR and the connection
 * is lost.
 */
public class WorkCompletionException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final WorkCompletionStatus status;
    private final @Nullable WorkRequestOpcode opcode;
    private final int qpNumber;
    private final int vendorError;

    /**
     * Creates the exception of a failed work request.
     *
     * @param status status of the completion
     * @param opcode operation that was posted, null for a receive
     * @param qpNumber local queue pair
     * @param vendorError the vendor's error code
     */
    public WorkCompletionException(
            WorkCompletionStatus status, @Nullable WorkRequestOpcode opcode, int qpNumber, int vendorError) {
        super((opcode == null ? "receive" : opcode.name()) + " failed on queue pair 0x" + Integer.toHexString(qpNumber)
                + ": " + status + " (" + hint(status) + "), vendor error " + vendorError);
        this.status = status;
        this.opcode = opcode;
        this.qpNumber = qpNumber;
        this.vendorError = vendorError;
    }

    /**
     * Returns the reason of the failure.
     *
     * @return never SUCCESS
     */
    public WorkCompletionStatus status() {
        return status;
    }

    /**
     * Returns the operation that was posted.
     *
     * @return null for a receive
     */
    public @Nullable WorkRequestOpcode opcode() {
        return opcode;
    }

    /**
     * Returns the number of the local queue pair.
     *
     * @return 24 bits
     */
    public int qpNumber() {
        return qpNumber;
    }

    /**
     * Returns the vendor's error code.
     *
     * @return meaning depends on the device
     */
    public int vendorError() {
        return vendorError;
    }

    /**
     * Returns whether the peer's device may have executed the operation, in whole or in part, although it failed here.
     *
     * @return false if the failure proves that nothing happened
     */
    public boolean mayHaveExecuted() {
        return switch (status) {
            case LOC_LEN_ERR, LOC_QP_OP_ERR, LOC_PROT_ERR, RNR_RETRY_EXC_ERR, MW_BIND_ERR -> false;
            // A request that the responder refuses may have been executed in part, by the packets before the
            // refused one.
            default -> true;
        };
    }

    private static String hint(WorkCompletionStatus status) {
        return switch (status) {
            case REM_ACCESS_ERR ->
                "the remote key, address range or access right is wrong: check the RemoteMemory and how the peer registered it";
            case REM_INV_REQ_ERR ->
                "the peer refused the request: message larger than its receive buffer, or atomic not on an 8-byte boundary";
            case LOC_LEN_ERR -> "message larger than the receive buffer";
            case LOC_PROT_ERR -> "the local memory is not registered with the needed access, or was deregistered";
            case RETRY_EXC_ERR -> "the peer does not answer: it is gone, or the path to it is broken";
            case RNR_RETRY_EXC_ERR -> "the peer posted no receive buffer in time: it reads too slowly";
            case WR_FLUSH_ERR -> "flushed because the queue pair failed or was closed";
            default -> "see ibv_poll_cq(3)";
        };
    }
}
