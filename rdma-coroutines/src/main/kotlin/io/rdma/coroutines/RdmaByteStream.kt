package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.engine.ByteOutput
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import java.nio.ByteBuffer

/**
 * A view of [connection] as a stream of bytes in each direction. What is written is collected in a send buffer, which
 * leaves when it is full, at a [flush] and at the [end]. The boundaries of messages mean nothing.
 *
 * The peer's end of the stream is what the peer said: it called [end], or closed its connection in an orderly way
 * without having written. Any other end is an error: a lost or aborted connection, a peer that closed within its
 * stream, a close of this side before the peer's end. On a connection without farewells, as with
 * [io.rdma.connect.FlowControl.PLAIN], the peer cannot say how it closes, and only [end] is its end.
 *
 * The peer uses this class, that of `rdma-reactive`, or a channel of `rdma-netty`. While a connection has such a view,
 * nothing else is sent or received over it. One coroutine writes at a time, and one reads. An unreliable connection is
 * refused with [io.rdma.engine.UnreliableConnectionException].
 */
public class RdmaByteStream(
    private val connection: RdmaConnection,
) {
    private val output = ByteOutput(connection.engine)

    @Volatile
    private var inputEnded = false

    /**
     * Writes the bytes of [bytes] between its position and its limit, neither of which changes. Returns when they are
     * copied into send buffers, and suspends while the peer reads too slowly for that. Throws if an earlier message was
     * not delivered, and [IllegalStateException] after the end. If it is cancelled, some bytes may have been written,
     * but none once another write has begun.
     */
    public suspend fun write(bytes: ByteBuffer) {
        val rest = bytes.duplicate()
        val turn = output.begin()
        while (rest.hasRemaining()) {
            if (!output.put(turn, rest)) awaitBuffer(turn)
        }
    }

    /** Writes [bytes] like [write]. */
    public suspend fun write(bytes: ByteArray): Unit = write(ByteBuffer.wrap(bytes))

    /** Lets [writer] put bytes into send buffers while there is [more]. */
    internal suspend fun write(
        more: () -> Boolean,
        writer: (ByteBuffer) -> Unit,
    ) {
        val turn = output.begin()
        while (more()) {
            if (!output.put(turn, writer)) awaitBuffer(turn)
        }
    }

    private suspend fun awaitBuffer(turn: Long) =
        output.fill(turn, connection.engine.sendBuffers().await(exclusive = true))

    /**
     * Sends the bytes that were written and not sent. Does not wait: [end] tells whether the peer's device has them.
     * Throws as [write] does.
     */
    public fun flush() {
        output.requireOpen()
        output.push()
    }

    /**
     * Sends the bytes that were written, and the end of the stream. Returns when the peer's device has them, and throws
     * if it does not get them. This side can still read.
     */
    public suspend fun end() {
        val turn = output.beginEnd()
        while (!output.end(turn)) awaitBuffer(turn)
        output.delivered().await()
    }

    /**
     * Returns a flow of the bytes that arrive, in pieces of any length but zero, each of which is a copy. A slow
     * collector slows the peer down. A second collector goes on where the first one stopped. Two at the same time are
     * not detected: each gets a part of the pieces.
     *
     * The flow ends after the peer's end of the stream, and throws [ConnectionClosedException] at any other end.
     */
    public fun read(): Flow<ByteArray> = pieces(ReceivedMessage::toByteArray)

    internal fun <T : Any> pieces(decoder: (ReceivedMessage) -> T): Flow<T> =
        flow {
            while (!inputEnded) {
                val piece =
                    connection.receiveOrNull { message ->
                        if (message.length() == 0) inputEnded = true
                        decoder(message)
                    }
                if (piece == null) {
                    connection.engine.withoutEnd()?.let { throw it }
                    break
                }
                if (!inputEnded) emit(piece)
            }
        }
}
