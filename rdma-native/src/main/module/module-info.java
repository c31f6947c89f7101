/**
 * Verbs for the JVM: typed objects over libibverbs and over the embedded software device, registered buffers, the
 * engine that completes operations, and the making of connections. Users of a front-end meet {@code verbs},
 * {@code buffer} and {@code connect}.
 */
module io.rdma.core {
    // Annotations of the public signatures; nothing of it is needed at run time.
    requires static transitive org.jspecify;
    // The extension for tests of users, who bring it along.
    requires static org.junit.jupiter.api;
    requires org.jctools.core.jdk11;
    // Events of connections and slow operations.
    requires jdk.jfr;
    // The socket option that keeps the software device's datagrams from being fragmented.
    requires jdk.net;

    // The nouns, options and errors that users of either front-end hold in their hands.
    exports io.rdma.verbs;
    // What an operation reads from and writes to; encoders and decoders of users see it.
    exports io.rdma.buffer;
    // Options, errors and addresses of connections are part of both front-ends' signatures.
    exports io.rdma.connect;
    // The endpoint and the resources it is made from are in signatures of connect and of both front-ends: users share
    // resources
    // between connections and reach the endpoint below one.
    exports io.rdma.engine;
    // Bad links on purpose, counters and captures of the software device, for tests of users.
    exports io.rdma.soft;
}
