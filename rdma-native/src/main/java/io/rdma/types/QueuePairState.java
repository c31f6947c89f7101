package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** State of a queue pair, {@code ibv_modify_qp(3)}. */
public enum QueuePairState {
    /** {@code IBV_QPS_RESET}: state after creation. */
    RESET(Ibv.QPS_RESET),
    /** {@code IBV_QPS_INIT}: receives may be posted. */
    INIT(Ibv.QPS_INIT),
    /** {@code IBV_QPS_RTR}: ready to receive. */
    RTR(Ibv.QPS_RTR),
    /** {@code IBV_QPS_RTS}: ready to send. */
    RTS(Ibv.QPS_RTS),
    /** {@code IBV_QPS_SQD}: the send queue is draining or drained. */
    SQD(Ibv.QPS_SQD),
    /** {@code IBV_QPS_SQE}: send queue error (UC, UD). */
    SQE(Ibv.QPS_SQE),
    /** {@code IBV_QPS_ERR}: every outstanding request is flushed. */
    ERR(Ibv.QPS_ERR),
    /** {@code IBV_QPS_UNKNOWN}: the state is unknown. */
    UNKNOWN(Ibv.QPS_UNKNOWN);

    private static final QueuePairState[] VALUES = values();
    private final int code;

    QueuePairState(int code) {
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
    public static QueuePairState of(int code) {
        for (QueuePairState value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no QueuePairState has the code " + code);
    }
}
