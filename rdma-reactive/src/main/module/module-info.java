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

    // Spring's buffers and codecs, over Netty's buffers, and Spring's auto-configuration below. Optional too.
    requires static spring.core;

    // Meters and observations. Optional too.
    requires static micrometer.core;
    requires static micrometer.observation;

    // The auto-configuration of Spring Boot. Optional too.
    requires static spring.beans;
    requires static spring.boot;
    requires static spring.boot.autoconfigure;
    requires static spring.boot.health;
    requires static spring.boot.rsocket;
    requires static spring.context;
    requires static spring.messaging;

    // Client, server, connection and encoder; their implementations are not public.
    exports io.rdma.reactive;
    // Messages as Spring's data buffers, and its codecs over them.
    exports io.rdma.reactive.databuffer;
    // Meters and observations.
    exports io.rdma.reactive.micrometer;
    // RSocket over RDMA.
    exports io.rdma.reactive.rsocket;
    // Auto-configuration of Spring Boot, and its types that applications name.
    exports io.rdma.reactive.spring;
}
