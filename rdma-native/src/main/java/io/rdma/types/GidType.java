package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The type of a GID, {@code ibv_query_gid_ex(3)}. */
public enum GidType {
    /** {@code IBV_GID_TYPE_IB}: InfiniBand. */
    IB(Ibv.GID_TYPE_IB),
    /** {@code IBV_GID_TYPE_ROCE_V1}: RoCE version 1, directly on Ethernet. */
    ROCE_V1(Ibv.GID_TYPE_ROCE_V1),
    /** {@code IBV_GID_TYPE_ROCE_V2}: RoCE version 2, over UDP. */
    ROCE_V2(Ibv.GID_TYPE_ROCE_V2);

    private static final GidType[] VALUES = values();
    private final int code;

    GidType(int code) {
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
     * Returns the constant that has a number in C.
     *
     * @param code number of the constant in C
     * @return the constant
     * @throws IllegalArgumentException if no constant has this number
     */
    public static GidType of(int code) {
        for (GidType value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no GidType has the code " + code);
    }
}
