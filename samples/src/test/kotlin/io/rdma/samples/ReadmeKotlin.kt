package io.rdma.samples

import io.rdma.connect.RdmaConnectException
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.send
import io.rdma.coroutines.texts
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

// Kotlin code of README.md, to be compiled. ReadmeTest compares it with the page.

private suspend fun server() {
    // README begin
    RdmaServer.bind("0.0.0.0", 7471).use { server ->
        server.serve { connection -> connection.send(connection.incoming().texts()) }
    }
    // README end
}

private suspend fun client() {
    // README begin
    RdmaClient.connect("localhost", 7471).use { connection ->
        connection.send("hello")
        println(connection.receiveText())
    }
    // README end
}

internal fun readmeKotlin() =
    runBlocking {
        val serving = launch { server() }
        // until the server listens
        while (runCatching { client() }.onFailure { if (it !is RdmaConnectException) throw it }.isFailure) delay(50)
        serving.cancel()
    }
