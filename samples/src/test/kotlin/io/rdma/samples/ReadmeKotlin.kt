package io.rdma.samples

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

// Kotlin code of README.md, to be compiled. ReadmeTest compares it with the page.

private suspend fun server() {
    // README begin
    RdmaServer.bind("0.0.0.0", 7471).use { server ->
        server.serve { connection ->
            connection.incoming().collect { message ->
                connection.send(message.length()) { buffer -> buffer.copyFrom(message.segment()) }
            }
        }
    }
    // README end
}

private suspend fun client() {
    // README begin
    RdmaClient.connect("localhost", 7471).use { connection ->
        connection.send(6) { buffer -> buffer.setString(0, "hello") } // five letters and a zero
        println(connection.receive { message -> message.segment().getString(0) })
    }
    // README end
}

internal fun readmeKotlin() =
    runBlocking {
        val serving = launch { server() }
        kotlinx.coroutines.yield() // the server listens afterwards
        client()
        serving.cancel()
    }
