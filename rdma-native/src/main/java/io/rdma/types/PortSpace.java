package io.rdma.types;

import io.rdma.internal.ibv.Cma;

/**
 * Port space of the RDMA CM, {@code enum rdma_port_space}: the kind of service that an address and port
 * identify, {@code rdma_create_id(3)}.
 */
public enum PortSpace {
    /** Reliable connections. */
    TCP(Cma.PS_TCP),
    /** Datagram services: unreliable datagrams. */
    UDP(Cma.PS_UDP);

    private final int code;

    PortSpace(int code) {
        this.code = code;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value in {@code enum rdma_port_space}
     */
    public int code() {
        return code;
    }
}
