@file:JvmName("RdmaSharedResources")

package io.rdma.coroutines

import io.rdma.connect.SharedResources
import kotlinx.coroutines.future.await
import java.util.concurrent.CompletableFuture

/**
 * Closes the resources that clients, servers and sockets of this process share by default, see
 * [SharedResources.closeAll], and suspends until the connections are drained and the devices are closed. Connections
 * that are being established fail. The next client, server or socket opens its device anew. Cancellation ends the wait
 * only.
 *
 * @throws RuntimeException the first failure of a device
 */
public suspend fun SharedResources.closeAndAwait() {
    CompletableFuture.runAsync(::closeAll, Thread::startVirtualThread).copy().await()
}
