package io.rdma.samples.simulation.world

import io.rdma.buffer.ReceivedMessage
import io.rdma.coroutines.RdmaConnection
import io.rdma.engine.ConnectionClosedException
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.withTimeoutOrNull
import java.util.function.Consumer

/** Reception of all messages of a connection, in one of the ways in which applications receive. */
internal class CoroutinesReception(
    private val connection: RdmaConnection,
    private val host: Host,
    private val how: Link.Reception,
    private val each: Consumer<Message>,
) {
    /** Receives until the stream of messages ends. */
    suspend fun run() {
        when (how.demand()) {
            1 -> if (how.owned()) collectSome() else receiveEach { receive() }
            2 -> collectSlowly()
            3 -> if (how.owned()) collectSlowly() else receiveImpatiently()
            4 -> collectSome()
            else -> messages().collect(each::accept)
        }
    }

    private fun messages(): Flow<Message> =
        if (how.owned()) {
            connection.receiveOwned().map(::readAndClose)
        } else {
            connection.incoming().decoded(Message::read)
        }

    /** Reads an owned message. Another thread closes it. */
    private fun readAndClose(owned: ReceivedMessage): Message {
        val message = Message.read(owned)
        host.run("release", owned::close)
        return message
    }

    /** Collects messages later than they are received. */
    private suspend fun collectSlowly() {
        var count = 0
        messages().buffer(how.demand()).collect {
            each.accept(it)
            if (++count % how.demand() == 0) delay(1)
        }
    }

    /** Collects some messages by each flow. The others wait for the next flow. */
    private suspend fun collectSome() {
        do {
            var count = 0
            messages().take(how.demand()).collect {
                each.accept(it)
                count++
            }
        } while (count == how.demand())
    }

    /** Receives one message. It is noted before its buffer is posted again, also if the caller is cancelled then. */
    private suspend fun receive() = connection.receive { each.accept(Message.read(it)) }

    /** Receives with a time limit, so that many a receive is cancelled. None of them may lose a message. */
    private suspend fun receiveImpatiently() {
        var limit = 1L
        receiveEach { limit = if (withTimeoutOrNull(limit) { receive() } == null) 2 * limit else 1 }
    }

    /** Repeats [receive] until it says that the connection has ended in an orderly way. */
    private inline fun receiveEach(receive: () -> Unit) {
        try {
            while (true) receive()
        } catch (e: ConnectionClosedException) {
            if (e.cause != null) throw e
        }
    }
}
