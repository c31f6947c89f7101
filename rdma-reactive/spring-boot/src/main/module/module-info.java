/**
 * Module of the starter for Spring Boot: auto-configuration of device, clients and servers. An application requires
 * this module alone.
 */
@SuppressWarnings("module") // the other starter and the test slice, which are compiled later
module io.rdma.spring.boot {
    // Clients, servers and connections are beans, and in the signatures of handlers.
    requires transitive io.rdma.reactive;
    requires transitive spring.boot;
    requires transitive spring.boot.autoconfigure;
    requires transitive spring.context;
    requires spring.beans;
    // Sizes of properties.
    requires transitive spring.core;
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;

    // The parts of an application that are configured only if it has them.
    requires static micrometer.core;
    requires static micrometer.observation;
    requires static rsocket.core;
    requires static spring.boot.health;
    requires static spring.boot.rsocket;
    requires static spring.messaging;
    // HTTP over RDMA.
    requires static io.rdma.netty;
    requires static reactor.netty.core;
    requires static reactor.netty.http;
    requires static spring.boot.http.client;
    requires static spring.boot.reactor.netty;
    requires static spring.boot.web.server;
    requires static spring.boot.webclient;
    requires static spring.web;
    requires static spring.webflux;

    // Auto-configuration, and the types that applications name.
    exports io.rdma.spring.boot;
    // The web server over RDMA, and the connector of WebClient.
    exports io.rdma.spring.boot.http;
    // Conditions and checks of the other starter and of the test slice.
    exports io.rdma.spring.boot.internal to
            io.rdma.coroutines.spring.boot,
            io.rdma.spring.boot.test;
}
