package io.rdma.samples.factors

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaServer
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/**
 * Serves until the process is asked to end (SIGTERM, Ctrl-C). Requests that were accepted are answered before it ends.
 */
fun factorServer(
    device: String,
    host: String,
    port: Int,
) = runBlocking {
    val server = RdmaServer.bind(host, port) { this.device = device }
    val service = FactorServer(server)
    val end =
        Thread {
            runBlocking { service.stop(10.seconds) }
            println("answered ${service.answered()} requests")
            System.out.flush()
        }
    Runtime.getRuntime().addShutdownHook(end)
    println("listening on port ${server.port}")
    service.serve()
    end.join()
}

/**
 * Runs a number of clients, each with a connection of its own and a number of concurrent requests. Returns how many
 * answers were right.
 */
fun factorClients(
    device: String,
    host: String,
    port: Int,
    clients: Int,
    requests: Int,
): Int =
    runBlocking {
        (0 until clients)
            .map { client -> async { factorClient(device, host, port, requests, 1_000_000L * (client + 1)) } }
            .awaitAll()
            .sum()
    }

private suspend fun factorClient(
    device: String,
    host: String,
    port: Int,
    requests: Int,
    first: Long,
): Int =
    RdmaClient.connect(host, port) { this.device = device }.use { connection ->
        FactorClient.use(connection) { client ->
            (first until first + requests)
                .map { number -> async { isRight(number, client.ask(number, 1.minutes)) } }
                .awaitAll()
                .count { it }
        }
    }

private fun isRight(
    number: Long,
    answer: Answer,
): Boolean = answer.outcome == Outcome.DONE && answer.factors.fold(1L, Long::times) == number
