@file:JvmName("BufferMessages")

package io.rdma.coroutines.io

import io.rdma.buffer.ReceivedMessage
import io.rdma.coroutines.InboundMessages
import io.rdma.coroutines.RdmaByteStream
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.decoded
import kotlinx.coroutines.flow.Flow
import kotlinx.io.Buffer
import kotlinx.io.readAtMostTo
import kotlinx.io.transferFrom

/**
 * Sends all bytes of [source] as a message. They are consumed when they are copied into registered memory, and stay
 * consumed if the send fails after that. A [source] that is longer than [RdmaConnection.maxMessageSize], and one whose
 * send is cancelled while it waits for memory, keeps its bytes. No other coroutine uses [source] until this returns.
 *
 * @sample io.rdma.coroutines.samples.buffers
 */
public suspend fun RdmaConnection.send(source: Buffer) {
    if (source.size > maxMessageSize) {
        throw engine.options().tooLong(source.size.coerceAtMost(Int.MAX_VALUE.toLong()).toInt())
    }
    send(source.size.toInt()) { target ->
        val sink = target.asByteBuffer()
        while (sink.hasRemaining()) {
            check(source.readAtMostTo(sink) > 0) { "the buffer was read elsewhere while it was being sent" }
        }
    }
}

/** Receives one message and returns a copy of its bytes. Errors are those of [RdmaConnection.receive]. */
public suspend fun RdmaConnection.receiveBuffer(): Buffer = receive(ReceivedMessage::toBuffer)

/**
 * Receives one message like [receiveBuffer], or returns null after an orderly end like [RdmaConnection.receiveOrNull].
 */
public suspend fun RdmaConnection.receiveBufferOrNull(): Buffer? = receiveOrNull(ReceivedMessage::toBuffer)

/** Returns a flow of copies of the messages, like [InboundMessages.bytes]. */
public fun InboundMessages<*>.buffers(): Flow<Buffer> = decoded(ReceivedMessage::toBuffer)

/** Returns a flow of copies of the messages, like [io.rdma.coroutines.bytes]. */
public fun Flow<ReceivedMessage>.buffers(): Flow<Buffer> = decoded(ReceivedMessage::toBuffer)

private fun ReceivedMessage.toBuffer(): Buffer = Buffer().transferFrom(segment().asByteBuffer())

/**
 * Writes all bytes of [source] to the stream, like [RdmaByteStream.write]. They are consumed when they are copied into
 * send buffers. No other coroutine uses [source] until this returns.
 *
 * @sample io.rdma.coroutines.samples.byteStream
 */
public suspend fun RdmaByteStream.write(source: Buffer) {
    write({ !source.exhausted() }) { source.readAtMostTo(it) }
}

/** Returns a flow of the bytes that arrive, like [RdmaByteStream.read]. */
public fun RdmaByteStream.buffers(): Flow<Buffer> = pieces(ReceivedMessage::toBuffer)
