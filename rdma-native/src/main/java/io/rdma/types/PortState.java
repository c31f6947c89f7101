package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** Logical state of a port, {@code ibv_query_port(3)}. */
public enum PortState {
    /** {@code IBV_PORT_NOP}: no state change. */
    NOP(Ibv.PORT_NOP),
    /** {@code IBV_PORT_DOWN}: the link is down. */
    DOWN(Ibv.PORT_DOWN),
    /** {@code IBV_PORT_INIT}: the port waits for the subnet manager. */
    INIT(Ibv.PORT_INIT),
    /** {@code IBV_PORT_ARMED}: the port is not yet active. */
    ARMED(Ibv.PORT_ARMED),
    /** {@code IBV_PORT_ACTIVE}: the port is usable. */
    ACTIVE(Ibv.PORT_ACTIVE),
    /** {@code IBV_PORT_ACTIVE_DEFER}: the port is usable, but its link flaps. */
    ACTIVE_DEFER(Ibv.PORT_ACTIVE_DEFER);

    private static final PortState[] VALUES = values();
    private final int code;

    PortState(int code) {
        this.code = code;
    }

    /**
     * Returns whether packets pass the port.
     *
     * @return true for ACTIVE and ACTIVE_DEFER
     */
    public boolean isUsable() {
        return this == ACTIVE || this == ACTIVE_DEFER;
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
    public static PortState of(int code) {
        for (PortState value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("no PortState has the code " + code);
    }
}
