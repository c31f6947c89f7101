package io.rdma.coroutines.spring.boot

import io.rdma.coroutines.RdmaConnection

/**
 * Handler of connections, as a bean. If the context has such a bean, a server listens at `rdma.server.*` from the start
 * of the context to its stop.
 */
public fun interface RdmaCoroutineHandler {
    /**
     * Serves [connection], in a coroutine of its own on [kotlinx.coroutines.Dispatchers.Default]. The connection is
     * closed when this returns. If this throws, the connection is aborted, see [RdmaConnection.abort], and the others
     * are not affected. A stop of the application cancels it after `rdma.server.shutdown-timeout`, and goes on without
     * it if it does not end within the same time again, because it blocks its thread.
     */
    public suspend fun handle(connection: RdmaConnection)
}
