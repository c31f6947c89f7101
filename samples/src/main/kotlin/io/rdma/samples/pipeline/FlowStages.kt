package io.rdma.samples.pipeline

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.engine.ConnectionClosedException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.completeWith
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.last
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import java.net.InetSocketAddress

/** The stages with Flow. Demand is expressed by the collector, which takes the next message when it is ready. */
class FlowStages : Stages {
    override fun produce(
        hop: Hop,
        next: InetSocketAddress,
        walk: Walk,
        report: StageReporter,
    ): Message.End =
        runBlocking {
            connect(hop, next).use { connection ->
                report.connected(null, connection.endpoint)
                val messages =
                    flow {
                        do {
                            val message = walk.next().also(report::count)
                            emit(message)
                        } while (message !is Message.End)
                    }
                connection.send(messages, Message::encode)
                connection.answer().also(walk::confirm)
            }
        }

    override fun transform(
        hop: Hop,
        here: InetSocketAddress,
        next: InetSocketAddress,
        deltas: Deltas,
        report: StageReporter,
    ): Message.End =
        runBlocking {
            connect(hop, next).use { downstream ->
                serveOne(hop, here, report) { upstream ->
                    report.connected(upstream.endpoint, downstream.endpoint)
                    downstream.send(upstream.messages().onEach(report::count).map(deltas::apply), Message::encode)
                    downstream.answer().also { upstream.reply(it) }
                }
            }
        }

    override fun sink(
        hop: Hop,
        here: InetSocketAddress,
        pace: Pace,
        checker: Checker,
        report: StageReporter,
    ): Message.End =
        runBlocking {
            serveOne(hop, here, report) { upstream ->
                report.connected(upstream.endpoint, null)
                val end =
                    upstream
                        .messages()
                        .onEach { message ->
                            pace.turn(message).await()
                            checker.take(message)
                            report.count(message)
                        }.last() as Message.End
                end.also { upstream.reply(it) }
            }
        }

    private suspend fun connect(
        hop: Hop,
        next: InetSocketAddress,
    ): RdmaConnection =
        RdmaClient.connect(next.hostString, next.port) {
            device = hop.device
            sendBuffers(hop.buffers, hop.bytes)
            queuePair { maxSendWr = hop.buffers }
        }

    /**
     * Returns the messages up to the end of the stream, which must come. Each message is copied, so its buffer is
     * posted again while the collector still works on the message.
     */
    private fun RdmaConnection.messages(): Flow<Message> =
        flow {
            do {
                val message =
                    try {
                        receive { Message.decode(it.segment()) }
                    } catch (e: ConnectionClosedException) {
                        if (e.cause == null) error(Message.WITHOUT_END) else throw e
                    }
                emit(message)
            } while (message !is Message.End)
        }

    private suspend fun RdmaConnection.answer() = messages().first().answer()

    private suspend fun RdmaConnection.reply(end: Message.End) = send(Message.HEADER_BYTES) { end.encode(it) }

    /** Accepts one connection, and waits until its handler has ended. */
    private suspend fun serveOne(
        hop: Hop,
        here: InetSocketAddress,
        report: StageReporter,
        stage: suspend (RdmaConnection) -> Message.End,
    ): Message.End {
        val result = CompletableDeferred<Message.End>()
        val server =
            RdmaServer.bind(here.hostString, here.port) {
                device = hop.device
                receiveBuffers(hop.buffers, hop.bytes)
                limits { connections = 1 }
            }
        try {
            report.listening(server.port)
            return coroutineScope {
                val serving =
                    launch {
                        server.serve { connection ->
                            result.completeWith(runCatching { stage(connection) })
                        }
                    }
                try {
                    result.await()
                } finally {
                    serving.cancel()
                }
            }
        } finally {
            server.closeAndAwait()
        }
    }
}
