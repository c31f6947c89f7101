/** Test slice for Spring Boot applications that use this library. */
module io.rdma.spring.boot.test {
    // The beans that tests inject.
    requires transitive io.rdma.spring.boot;
    // Filters of components are in the annotation.
    requires transitive spring.boot.test;
    requires transitive spring.boot.test.autoconfigure;
    requires transitive spring.test;
    requires transitive org.junit.jupiter.api;
    requires spring.beans;
    requires spring.core;
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;

    exports io.rdma.spring.boot.test;
}
