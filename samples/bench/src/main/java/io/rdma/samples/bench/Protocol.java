package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.GrpcServerProgram;
import io.rdma.samples.bench.transport.HttpServerProgram;
import io.rdma.samples.bench.transport.RSocketServerProgram;
import java.util.List;

/** A protocol that is measured over each transport. */
enum Protocol {
    /** HTTP/1.1 by Reactor Netty. */
    HTTP(HttpServerProgram.class, HttpBench.requests()),
    /** gRPC by Netty. */
    GRPC(GrpcServerProgram.class, GrpcBench.requests()),
    /** RSocket by its own transports. */
    RSOCKET(RSocketServerProgram.class, RSocketBench.requests());

    private final Class<?> server;
    private final List<TransportRequest> requests;

    Protocol(Class<?> server, List<TransportRequest> requests) {
        this.server = server;
        this.requests = requests;
    }

    /** Returns the program with the server. */
    Class<?> server() {
        return server;
    }

    /** Returns the requests that are measured. */
    List<TransportRequest> requests() {
        return requests;
    }
}
