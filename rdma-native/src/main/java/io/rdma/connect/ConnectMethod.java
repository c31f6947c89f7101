package io.rdma.connect;

/** Method of making connections; docs/guide/connecting.md compares them. */
public enum ConnectMethod {
    /**
     * RDMA CM where it can be used, else the exchange over TCP. A server listens for both, at the same port number. A
     * client tries RDMA CM first. It uses the exchange if the address belongs to no RDMA device, or nothing listens
     * there for RDMA CM. With TLS the exchange comes first and gives the client a token for RDMA CM, which then listens
     * at a port of its own. Only the exchange is used on the software device, for loopback addresses, for
     * unreliable connections (UC), where {@link PathOptions} asks for a partition, a GID type or an alternate path, and
     * where librdmacm or the kernel's part of it is missing. Only RDMA CM is used with iWARP, which refuses TLS.
     */
    AUTOMATIC,
    /**
     * RDMA CM only: any verbs program can be the peer. A connection to a peer that does not use this library is as with
     * {@link FlowControl#PLAIN}.
     */
    RDMA_CM,
    /** The exchange over TCP only. It makes no connections of iWARP devices. */
    TCP
}
