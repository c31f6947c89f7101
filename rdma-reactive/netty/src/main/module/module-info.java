/** Module of the transport for Netty: event loops and channels over RDMA. */
module io.rdma.netty {
    // Options of devices and connections are in the signatures of options and channels.
    requires transitive io.rdma.core;
    requires transitive io.netty.transport;
    requires io.netty.buffer;
    requires io.netty.common;
    // Reactor Netty on these event loops; an application that does not use it needs neither of these modules.
    requires static transitive reactor.netty.core;
    requires static transitive reactor.core;
    // The builders of gRPC; an application that does not use it needs none of these modules.
    requires static io.grpc;
    requires static io.grpc.netty;
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;

    // The event loop's handler, channels and their options.
    exports io.rdma.netty;
    // Event loops for Reactor Netty.
    exports io.rdma.netty.reactor;
    // gRPC over these channels.
    exports io.rdma.netty.grpc;
}
