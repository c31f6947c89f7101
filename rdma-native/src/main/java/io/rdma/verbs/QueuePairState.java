package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** State of a queue pair, {@code ibv_modify_qp(3)}. */
public enum QueuePairState {
    /** {@code IBV_QPS_RESET}: as created. */
    RESET(Ibv.QPS_RESET),
    /** {@code IBV_QPS_INIT}: receives may be posted. */
    INIT(Ibv.QPS_INIT),
    /** {@code IBV_QPS_RTR}: ready to receive. */
    RTR(Ibv.QPS_RTR),
    /** {@code IBV_QPS_RTS}: ready to send. */
    RTS(Ibv.QPS_RTS),
    /** {@code IBV_QPS_SQD}: the send queue drains. */
    SQD(Ibv.QPS_SQD),
    /** {@code IBV_QPS_SQE}: the send queue is in error (UC, UD). */
    SQE(Ibv.QPS_SQE),
    /** {@code IBV_QPS_ERR}: everything posted is flushed. */
    ERR(Ibv.QPS_ERR),
    /** {@code IBV_QPS_UNKNOWN}: not known. */
    UNKNOWN(Ibv.QPS_UNKNOWN);

    private static final QueuePairState[] VALUES = values();
    private final int code;

    QueuePairState(int code) {
        this.code = code;
    }

    /**
     * The number that C uses.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a number.
     *
     * @param code as in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static QueuePairState of(int code) {
        for (QueuePairState value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a QueuePairState: " + code);
    }
}
