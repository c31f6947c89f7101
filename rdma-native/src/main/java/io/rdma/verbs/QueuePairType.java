package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** Transport of a queue pair, {@code ibv_create_qp(3)}. */
public enum QueuePairType {
    /** {@code IBV_QPT_RC}: reliable connection. */
    RC(Ibv.QPT_RC);

    private static final QueuePairType[] VALUES = values();
    private final int code;

    QueuePairType(int code) {
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
    public static QueuePairType of(int code) {
        for (QueuePairType value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a QueuePairType: " + code);
    }
}
