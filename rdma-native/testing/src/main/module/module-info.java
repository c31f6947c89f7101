/** Test kit for JUnit, for tests of services that use this library. */
module io.rdma.test {
    // Networks, devices and resources are parameters of tests.
    requires transitive io.rdma.core;
    // The extensions are JUnit's.
    requires transitive org.junit.jupiter.api;
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;
    // Servers and clients as parameters; a Kotlin application needs none.
    requires static io.rdma.reactive;

    exports io.rdma.test;
}
