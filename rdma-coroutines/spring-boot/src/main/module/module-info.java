/** Module of the starter for Spring Boot and coroutines. An application requires this module alone. */
module io.rdma.coroutines.spring.boot {
    // Connections and servers of handlers that suspend.
    requires transitive io.rdma.coroutines;
    // The open device, the properties and the life cycle of servers.
    requires transitive io.rdma.spring.boot;
    // Providers of beans are in the signatures of the auto-configuration.
    requires transitive spring.beans;

    // Auto-configuration, and the types that applications name.
    exports io.rdma.coroutines.spring.boot;
}
