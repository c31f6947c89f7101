package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The link layer of a port, {@code ibv_query_port(3)}. */
public enum LinkLayer {
    /** {@code IBV_LINK_LAYER_UNSPECIFIED}: a legacy value that means InfiniBand. */
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
    public static LinkLayer of(int code) {
        for (LinkLayer value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no LinkLayer has the code " + code);
    }
}
