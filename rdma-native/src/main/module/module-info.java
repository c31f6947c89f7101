/**
 * Verbs for the JVM: typed objects over libibverbs and over the embedded software device, registered buffers, the
 * engine that completes operations, and the connection setup. docs/guide/types.md lists the types that users of a
 * front-end need.
 */
@SuppressWarnings("module") // the front-ends, which are compiled later
module io.rdma.core {
    // Annotations of the public signatures; not needed at run time.
    requires static transitive org.jspecify;
    requires org.jctools.core.jdk11;
    // Events of connections and slow operations.
    requires jdk.jfr;
    // The socket option that keeps the software device's datagrams from being fragmented.
    requires jdk.net;

    // Errors, rights, addresses and attributes: values that users of either front-end handle directly.
    exports io.rdma.types;
    // Objects of a device: users open devices, and get regions from connections.
    exports io.rdma.verbs;
    // Buffers that operations read from and write to; encoders and decoders of users work with them.
    exports io.rdma.buffer;
    // Options and errors of connections, and the resources that connections share, are in both front-ends' signatures.
    exports io.rdma.connect;
    // Options, counters and errors of the engine, and its view for monitoring and tuning a connection.
    exports io.rdma.engine;
    // Errors of calls are in both front-ends' signatures.
    exports io.rdma.call;
    // Locations, values, errors and hosts of the one-sided data structures are in both front-ends' signatures.
    exports io.rdma.structures;
    // Clock, threads and randomness are reached from objects of verbs; tests of users may bring their own.
    exports io.rdma.environment;
    // Faulty links on purpose, counters and captures of the software device, for users' tests.
    exports io.rdma.soft;

    // The front-ends of this project submit operations to the engine, and make connections.
    exports io.rdma.internal.engine to
            io.rdma.reactive,
            io.rdma.coroutines,
            io.rdma.netty;
    exports io.rdma.internal.connect to
            io.rdma.reactive,
            io.rdma.coroutines,
            io.rdma.netty;
    // Their calls share frames and tables.
    exports io.rdma.internal.call to
            io.rdma.reactive,
            io.rdma.coroutines;
    // Their one-sided data structures share layouts and protocols.
    exports io.rdma.internal.structures to
            io.rdma.reactive,
            io.rdma.coroutines;
    // They test, as the engine does, whether the caller's stack has room.
    exports io.rdma.internal.os to
            io.rdma.reactive,
            io.rdma.coroutines;
    // Their servers close several things, each of which is tried.
    exports io.rdma.internal.close to
            io.rdma.reactive,
            io.rdma.coroutines,
            io.rdma.netty;
    // The meters of one read the loops, the event loops of the other drive them.
    exports io.rdma.internal.loop to
            io.rdma.reactive,
            io.rdma.netty;
}
