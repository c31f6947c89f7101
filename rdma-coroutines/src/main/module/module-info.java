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

    // Observations; an application that does not use them does not need it.
    requires static micrometer.observation;

    // Client, server, connection, encoder and their builders; the rest is internal to Kotlin.
    exports io.rdma.coroutines;
    // Observations of operations.
    exports io.rdma.coroutines.micrometer;
}
