package io.rdma.samples.echo

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.send
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.runBlocking

/** Sends each message back, with coroutines, until the process ends. */
fun echoServer(
    device: String,
    host: String,
    port: Int,
) = runBlocking {
    RdmaServer.bind(host, port) { this.device = device }.use { server ->
        println("listening on port ${server.port}")
        server.serve { connection ->
            connection.incoming().collect { message ->
                connection.send(message.length()) { it.copyFrom(message.segment()) }
            }
        }
    }
}

/** Sends messages and returns how many came back unchanged. */
fun echoClient(
    device: String,
    host: String,
    port: Int,
    count: Int,
): Int =
    runBlocking {
        RdmaClient.connect(host, port) { this.device = device }.use { connection ->
            val same =
                async {
                    (0 until count).count { i -> connection.receiveText() == "message $i" }
                }
            connection.send((0 until count).asFlow().map { "message $it" })
            same.await()
        }
    }
