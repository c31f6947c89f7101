package io.rdma.coroutines.spring.boot

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection

/** Client of coroutines on the open device of the application, as a bean. */
public class RdmaCoroutineClient internal constructor(
    /** Name or address of the server, from `rdma.client.host` or a bean of connection details. */
    public val host: String,
    /** Port of the server, from `rdma.client.port` or a bean of connection details. */
    public val port: Int,
    /** Block that configures a client as the properties and customizers say, for other addresses and for pools. */
    public val configure: RdmaConfiguration.() -> Unit,
) {
    /**
     * Connects as [RdmaClient.connect] does, whose errors and cancellation it has. The caller closes the connection.
     */
    public suspend fun connect(): RdmaConnection = RdmaClient.connect(host, port, configure)

    /** Connects, and connects again while [retry] returns true, as [RdmaClient.reconnect] does. */
    public suspend fun <T> reconnect(
        retry: suspend (cause: Throwable, attempt: Long) -> Boolean,
        handler: suspend (RdmaConnection) -> T,
    ): T = RdmaClient.reconnect(host, port, retry, configure, handler)
}
