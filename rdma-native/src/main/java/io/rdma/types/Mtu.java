package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The path MTU, {@code enum ibv_mtu}. */
public enum Mtu {
    /** {@code IBV_MTU_256}: 256 bytes. */
    BYTES_256(Ibv.MTU_256),
    /** {@code IBV_MTU_512}: 512 bytes. */
    BYTES_512(Ibv.MTU_512),
    /** {@code IBV_MTU_1024}: 1024 bytes. */
    BYTES_1024(Ibv.MTU_1024),
    /** {@code IBV_MTU_2048}: 2048 bytes. */
    BYTES_2048(Ibv.MTU_2048),
    /** {@code IBV_MTU_4096}: 4096 bytes. */
    BYTES_4096(Ibv.MTU_4096);

    private static final Mtu[] VALUES = values();
    private final int code;

    Mtu(int code) {
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
    public static Mtu of(int code) {
        for (Mtu value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no Mtu has the code " + code);
    }

    /**
     * Returns the number of payload bytes per packet.
     *
     * @return 256 to 4096
     */
    public int bytes() {
        return 128 << code;
    }

    /**
     * Returns the smaller of two MTUs, which a path between two ports can carry.
     *
     * @param other MTU of the peer
     * @return the smaller one
     */
    public Mtu min(Mtu other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
