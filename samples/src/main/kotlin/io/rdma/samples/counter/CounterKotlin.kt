package io.rdma.samples.counter

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import io.rdma.verbs.RdmaDevice
import kotlinx.coroutines.runBlocking
import java.lang.foreign.ValueLayout

/**
 * Serves one ticket counter for all clients, with coroutines. Its memory belongs to the resources. The server's CPU
 * takes no part when a client draws a ticket.
 */
internal fun counterServer(
    device: RdmaDevice,
    host: String,
    port: Int,
) = RdmaResources.open(device).use { shared ->
    shared.domain().allocate(8, setOf(AccessFlag.REMOTE_ATOMIC)).use { counter ->
        runBlocking {
            RdmaServer.bind(host, port) { resources = shared }.use { server ->
                println("listening on port ${server.port}")
                server.serve { connection ->
                    connection.send(RemoteMemory.ENCODED_BYTES) { counter.remote().encode(it) }
                    connection.awaitClosed()
                    println("tickets drawn so far: ${counter.segment().get(ValueLayout.JAVA_LONG, 0)}")
                }
            }
        }
    }
}

/** Draws tickets and returns the last one. */
internal fun counterClient(
    device: RdmaDevice,
    host: String,
    port: Int,
    count: Int,
): Long =
    runBlocking {
        RdmaClient.connect(host, port) { this.device = device.name() }.use { connection ->
            val counter = connection.receive { RemoteMemory.decode(it.segment()) }
            (0 until count).map { connection.fetchAndAdd(counter, 1) }.last()
        }
    }
