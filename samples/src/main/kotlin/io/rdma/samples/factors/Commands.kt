package io.rdma.samples.factors

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.call.withCalls
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** Serves until SIGTERM or Ctrl-C. Requests that were accepted are answered before it ends. */
fun factorServer(
    device: String,
    host: String,
    port: Int,
) = runBlocking {
    val service = FactorService()
    val server = RdmaServer.bind(host, port) { this.device = device }
    val end =
        Thread {
            runBlocking {
                service.calls.stop(10.seconds)
                server.closeAndAwait()
            }
            println("answered ${service.answered} requests")
            System.out.flush()
        }
    Runtime.getRuntime().addShutdownHook(end)
    println("listening on port ${server.port}")
    server.serve { service.calls.serve(it) }
    end.join()
}

/** Runs clients with a connection and [requests] concurrent calls each. Returns how many answers were right. */
fun factorClients(
    device: String,
    host: String,
    port: Int,
    clients: Int,
    requests: Int,
): Int =
    runBlocking {
        val numbers = (1L..clients).map { client -> List(requests) { 1_000_000 * client + it } }
        numbers.map { async { factorClient(device, host, port, it) } }.awaitAll().sum()
    }

private suspend fun factorClient(
    device: String,
    host: String,
    port: Int,
    numbers: List<Long>,
): Int =
    RdmaClient.connect(host, port) { this.device = device }.use { connection ->
        connection.withCalls(Json) { client ->
            val answers = numbers.map { async { client.factors(it, 1.minutes).fold(1L, Long::times) == it } }
            answers.awaitAll().count { it }
        }
    }
