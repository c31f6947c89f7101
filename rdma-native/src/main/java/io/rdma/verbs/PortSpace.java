package io.rdma.verbs;

import io.rdma.internal.ffi.Cma;

/** What an address and port name, {@code enum rdma_port_space}, {@code rdma_create_id(3)}. */
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
     * C's number.
     *
     * @return of {@code enum rdma_port_space}
     */
    public int code() {
        return code;
    }
}
