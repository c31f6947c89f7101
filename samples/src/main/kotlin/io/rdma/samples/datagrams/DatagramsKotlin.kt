package io.rdma.samples.datagrams

import io.rdma.coroutines.RdmaDatagramSocket
import io.rdma.types.VerbsException
import io.rdma.verbs.DatagramAddress
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import java.lang.foreign.MemorySegment
import kotlin.time.Duration.Companion.milliseconds

private const val TRIES = 60
private val AGAIN = 500.milliseconds

/** Sends each datagram back to its sender, with coroutines, until the process ends. */
fun datagramsServer(
    device: String,
    host: String,
    port: Int,
) = runBlocking {
    RdmaDatagramSocket.bind(host, port) { this.device = device }.use { here ->
        println("listening on port ${here.localAddress.port}")
        here.incoming().collect { question ->
            try {
                here.send(question.length(), { it.copyFrom(question.segment()) }, question.source())
            } catch (unreachable: VerbsException) {
                println("no answer: $unreachable")
            }
        }
    }
}

/** Sends datagrams one by one, repeats those without an answer, and returns how many were answered. */
fun datagramsClient(
    device: String,
    local: String,
    host: String,
    port: Int,
    count: Int,
): Int =
    runBlocking {
        RdmaDatagramSocket.bind(local, 0) { this.device = device }.use { here ->
            val service = here.resolve(host, port)
            (0 until count).count { i -> here.asks(service, "message $i") }
        }
    }

/** Asks, and repeats the question, since the question or the answer may be lost. */
private suspend fun RdmaDatagramSocket.asks(
    service: DatagramAddress,
    question: String,
): Boolean {
    val bytes = question.toByteArray()
    repeat(TRIES) {
        send(bytes.size, { it.copyFrom(MemorySegment.ofArray(bytes)) }, service)
        val answer =
            withTimeoutOrNull(AGAIN) {
                incoming().texts().first { it == question }
            }
        if (answer != null) return true
    }
    return false
}
