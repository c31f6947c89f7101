/**
 * RDMA operations as suspend functions, messages as {@code Flow}. Users require this module alone: what its signatures
 * name comes with it.
 */
module io.rdma.coroutines {
    // Options, buffers, errors and the endpoint below a connection are in public signatures.
    requires transitive io.rdma.core;
    // Every suspend function names Continuation, and every lambda a function type.
    requires transitive kotlin.stdlib;
    // Messages are a Flow, servers live in a CoroutineScope.
    requires transitive kotlinx.coroutines.core;

    // An application that does not use the package of one of these does not need it: serialized values, buffers of
    // kotlinx-io, observations, meters.
    requires static kotlinx.serialization.core;
    requires static kotlinx.io.core;
    requires static micrometer.observation;
    requires static micrometer.core;

    // Client, server, connection, encoder and their builders; the rest is internal to Kotlin.
    exports io.rdma.coroutines;
    // Pool of connections to one or several servers.
    exports io.rdma.coroutines.pool;
    // Values that kotlinx-serialization encodes and decodes.
    exports io.rdma.coroutines.serialization;
    // Calls: requests and answers that kotlinx-serialization encodes and decodes.
    exports io.rdma.coroutines.call;
    // Messages from and to buffers of kotlinx-io.
    exports io.rdma.coroutines.io;
    // Observations of operations, and meters of pools.
    exports io.rdma.coroutines.micrometer;
    // One-sided data structures.
    exports io.rdma.coroutines.structures;
}
