@file:JvmName("MessageFlows")

package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.internal.engine.Utf8
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

/**
 * Returns a flow of copies of the messages, as text in UTF-8. Bytes that are not UTF-8 become U+FFFD, the replacement
 * character. Each message is closed when it is copied, so its receive buffer is posted again while the collector works,
 * and any operator may follow.
 *
 * @sample io.rdma.coroutines.samples.incoming
 */
public fun Flow<ReceivedMessage>.texts(): Flow<String> = decoded(ReceivedMessage::toText)

/** Returns a flow of copies of the messages, like [texts], as bytes. */
public fun Flow<ReceivedMessage>.bytes(): Flow<ByteArray> = decoded(ReceivedMessage::toByteArray)

/**
 * Returns a flow of the results of [decoder], which reads each message in its receive buffer. The message is closed
 * when [decoder] returns or throws, so [decoder] copies what it keeps.
 */
public fun <M : ReceivedMessage, T> Flow<M>.decoded(decoder: (M) -> T): Flow<T> = map { it.use(decoder) }

/**
 * Sends each text as a message in UTF-8, like [RdmaConnection.send] with an encoder.
 *
 * @sample io.rdma.coroutines.samples.sendFlow
 */
@JvmName("sendTexts")
public suspend fun RdmaConnection.send(texts: Flow<String>): Unit = send(texts, TextEncoder)

/** Sends each array as a message, like [RdmaConnection.send] with an encoder. */
@JvmName("sendBytes")
public suspend fun RdmaConnection.send(bytes: Flow<ByteArray>): Unit = send(bytes, BytesEncoder)

internal fun ReceivedMessage.toText(): String = toByteArray().decodeToString()

/** Encoder of texts, without an array in between. */
internal object TextEncoder : MessageEncoder<String> {
    override fun encode(
        item: String,
        target: MemorySegment,
    ): Int = Utf8.encode(item, target)
}

/** Encoder of arrays, the messages of which may have any length. */
internal object BytesEncoder : MessageEncoder<ByteArray> {
    override fun encode(
        item: ByteArray,
        target: MemorySegment,
    ): Int {
        MemorySegment.copy(item, 0, target, ValueLayout.JAVA_BYTE, 0, item.size)
        return item.size
    }

    override fun length(item: ByteArray): Int = item.size
}
