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

    // Auto-configuration, and the types that applications name.
    exports io.rdma.spring.boot;
    // Conditions and checks of the other starter and of the test slice.
    exports io.rdma.spring.boot.internal to
            io.rdma.coroutines.spring.boot,
            io.rdma.spring.boot.test;
}
