/** Test kit for coroutines, for tests of services that use this library. */
module io.rdma.coroutines.test {
    // Connections and servers of tests.
    requires transitive io.rdma.coroutines;
    // The network of a test.
    requires transitive io.rdma.test;

    exports io.rdma.coroutines.test;
}
