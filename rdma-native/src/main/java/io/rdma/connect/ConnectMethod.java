package io.rdma.connect;

/** Which way connections are made; docs/guide/connecting.md compares them. */
public enum ConnectMethod {
    /**
     * RDMA CM where it can be used, else the exchange over TCP. A server listens for both, at the same port number. A
     * client tries RDMA CM first, and the exchange if the address belongs to no RDMA device or nobody listens there for
     * RDMA CM. The exchange alone is used with TLS, on the software device, for loopback addresses, and where librdmacm
     * or the kernel's part of it is missing.
     */
    AUTOMATIC,
    /**
     * RDMA CM only: any verbs program can be the peer. A peer that is not of this library is talked to as with
     * {@link FlowControl#PLAIN}.
     */
    RDMA_CM,
    /** The exchange over TCP only. */
    TCP
}
