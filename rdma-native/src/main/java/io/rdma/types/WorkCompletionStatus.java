package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** Status of a work completion, {@code ibv_poll_cq(3)}. */
public enum WorkCompletionStatus {
    /** {@code IBV_WC_SUCCESS}: success. */
    SUCCESS(Ibv.WC_SUCCESS),
    /** {@code IBV_WC_LOC_LEN_ERR}: local length error. For a receive: the message is larger than the buffer. */
    LOC_LEN_ERR(Ibv.WC_LOC_LEN_ERR),
    /** {@code IBV_WC_LOC_QP_OP_ERR}: local queue pair operation error. */
    LOC_QP_OP_ERR(Ibv.WC_LOC_QP_OP_ERR),
    /** {@code IBV_WC_LOC_EEC_OP_ERR}: RD only. */
    LOC_EEC_OP_ERR(Ibv.WC_LOC_EEC_OP_ERR),
    /** {@code IBV_WC_LOC_PROT_ERR}: local protection error. The local key does not cover the memory. */
    LOC_PROT_ERR(Ibv.WC_LOC_PROT_ERR),
    /** {@code IBV_WC_WR_FLUSH_ERR}: flushed, because the queue pair had gone to ERR. */
    WR_FLUSH_ERR(Ibv.WC_WR_FLUSH_ERR),
    /** {@code IBV_WC_MW_BIND_ERR}: memory window bind error. */
    MW_BIND_ERR(Ibv.WC_MW_BIND_ERR),
    /** {@code IBV_WC_BAD_RESP_ERR}: unexpected response of the peer. */
    BAD_RESP_ERR(Ibv.WC_BAD_RESP_ERR),
    /** {@code IBV_WC_LOC_ACCESS_ERR}: local access error. */
    LOC_ACCESS_ERR(Ibv.WC_LOC_ACCESS_ERR),
    /**
     * {@code IBV_WC_REM_INV_REQ_ERR}: remote invalid request error. The peer refused the request, for example because a
     * message is larger than its buffer or an atomic is misaligned.
     */
    REM_INV_REQ_ERR(Ibv.WC_REM_INV_REQ_ERR),
    /** {@code IBV_WC_REM_ACCESS_ERR}: remote access error. The peer refused the remote key, the range or the right. */
    REM_ACCESS_ERR(Ibv.WC_REM_ACCESS_ERR),
    /** {@code IBV_WC_REM_OP_ERR}: remote operation error. The peer could not complete the operation. */
    REM_OP_ERR(Ibv.WC_REM_OP_ERR),
    /** {@code IBV_WC_RETRY_EXC_ERR}: transport retry counter exceeded. The peer does not answer. */
    RETRY_EXC_ERR(Ibv.WC_RETRY_EXC_ERR),
    /** {@code IBV_WC_RNR_RETRY_EXC_ERR}: RNR retry counter exceeded. The peer posted no receive for too long. */
    RNR_RETRY_EXC_ERR(Ibv.WC_RNR_RETRY_EXC_ERR),
    /** {@code IBV_WC_LOC_RDD_VIOL_ERR}: RD only. */
    LOC_RDD_VIOL_ERR(Ibv.WC_LOC_RDD_VIOL_ERR),
    /** {@code IBV_WC_REM_INV_RD_REQ_ERR}: RD only. */
    REM_INV_RD_REQ_ERR(Ibv.WC_REM_INV_RD_REQ_ERR),
    /** {@code IBV_WC_REM_ABORT_ERR}: the peer aborted. */
    REM_ABORT_ERR(Ibv.WC_REM_ABORT_ERR),
    /** {@code IBV_WC_INV_EECN_ERR}: RD only. */
    INV_EECN_ERR(Ibv.WC_INV_EECN_ERR),
    /** {@code IBV_WC_INV_EEC_STATE_ERR}: RD only. */
    INV_EEC_STATE_ERR(Ibv.WC_INV_EEC_STATE_ERR),
    /** {@code IBV_WC_FATAL_ERR}: fatal device error. */
    FATAL_ERR(Ibv.WC_FATAL_ERR),
    /** {@code IBV_WC_RESP_TIMEOUT_ERR}: response time-out. */
    RESP_TIMEOUT_ERR(Ibv.WC_RESP_TIMEOUT_ERR),
    /** {@code IBV_WC_GENERAL_ERR}: other error. */
    GENERAL_ERR(Ibv.WC_GENERAL_ERR);

    private static final WorkCompletionStatus[] VALUES = values();
    private final int code;

    WorkCompletionStatus(int code) {
        this.code = code;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the constant with a given number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static WorkCompletionStatus of(int code) {
        for (WorkCompletionStatus value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no WorkCompletionStatus has the code " + code);
    }
}
