package io.rdma.samples

import io.rdma.buffer.RegisteredBuffer
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.verbs.AccessFlag
import io.rdma.verbs.RemoteMemory
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.runBlocking
import java.lang.foreign.ValueLayout

/** Ticket counter with coroutines: the server's CPU takes no part in drawing a ticket. */
fun counterServer(
    device: String,
    host: String,
    port: Int,
) = runBlocking {
    RdmaServer.bind(host, port) { this.device = device }.use { server ->
        println("listening on port ${server.port()}")
        server.serve { connection ->
            val counter = connection.allocate(8, AccessFlag.REMOTE_ATOMIC)
            connection.send(RemoteMemory.ENCODED_BYTES) { counter.remote().encode(it) }
            // The region ends with the connection; a buffer over it holds it until the total is read.
            RegisteredBuffer.of(counter, 0, Long.SIZE_BYTES).use { total ->
                connection.incoming().collect()
                println("tickets drawn: ${total.segment().get(ValueLayout.JAVA_LONG, 0)}")
            }
        }
    }
}

/** Draws tickets and returns the last one. */
fun counterClient(
    device: String,
    host: String,
    port: Int,
    count: Int,
): Long =
    runBlocking {
        RdmaClient.connect(host, port) { this.device = device }.use { connection ->
            val counter = connection.receive { RemoteMemory.decode(it.segment()) }
            (0 until count).map { connection.fetchAndAdd(counter, 1) }.last()
        }
    }
