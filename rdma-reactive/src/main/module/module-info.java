/**
 * Module of the Reactor front-end: RDMA operations as {@code Mono}, messages as {@code Flux}. An application requires
 * this module alone, because it requires transitively every module that its signatures name.
 */
module io.rdma.reactive {
    // Options, buffers, errors and the endpoint below a connection are in public signatures.
    requires transitive io.rdma.core;
    // Every operation is a Mono or a Flux.
    requires transitive reactor.core;
    // Messages to send may come from any Publisher.
    requires transitive org.reactivestreams;
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;
    // The transport of RSocket; an application that does not use it needs none of these modules.
    requires static rsocket.core;
    requires static io.netty.buffer;
    requires static io.netty.common;

    // The pool of connections. Optional too.
    requires static reactor.pool;

    // Spring's buffers and codecs, over Netty's buffers. Optional too.
    requires static spring.core;

    // Meters and observations. Optional too.
    requires static micrometer.core;
    requires static micrometer.observation;

    // Client, server, connection and encoder; their implementations are not public.
    exports io.rdma.reactive;
    // Calls: typed requests and answers.
    exports io.rdma.reactive.call;
    // Messages as Spring's data buffers, and its codecs over them.
    exports io.rdma.reactive.databuffer;
    // Meters and observations.
    exports io.rdma.reactive.micrometer;
    // Pool of connections to one or several servers.
    exports io.rdma.reactive.pool;
    // RSocket over RDMA.
    exports io.rdma.reactive.rsocket;
    // One-sided data structures.
    exports io.rdma.reactive.structures;
}
