package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** Link layer of a port, {@code ibv_query_port(3)}. */
public enum LinkLayer {
    /** {@code IBV_LINK_LAYER_UNSPECIFIED}: legacy, means InfiniBand. */
    UNSPECIFIED(Ibv.LINK_LAYER_UNSPECIFIED),
    /** {@code IBV_LINK_LAYER_INFINIBAND}: InfiniBand. */
    INFINIBAND(Ibv.LINK_LAYER_INFINIBAND),
    /** {@code IBV_LINK_LAYER_ETHERNET}: RoCE or iWARP. */
    ETHERNET(Ibv.LINK_LAYER_ETHERNET);

    private static final LinkLayer[] VALUES = values();
    private final int code;

    LinkLayer(int code) {
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
    public static LinkLayer of(int code) {
        for (LinkLayer value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a LinkLayer: " + code);
    }
}
