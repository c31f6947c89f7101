@file:JvmName("SerializedMessages")

package io.rdma.coroutines.serialization

import io.rdma.buffer.MessageDecodingException
import io.rdma.coroutines.BytesEncoder
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.TextEncoder
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map
import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.SerialFormat
import kotlinx.serialization.SerializationStrategy
import kotlinx.serialization.serializer

// A format makes an array or a string on the heap, which is copied or encoded into registered memory once. The other
// way it is the same. SerialFormat is the only type that both kinds of formats have in common.

/**
 * Sends [value] as a message in [format], a `BinaryFormat` such as `Cbor`, or a `StringFormat` such as `Json`, whose
 * text is sent in UTF-8. Errors are those of [RdmaConnection.send].
 *
 * @throws kotlinx.serialization.SerializationException if [value] cannot be encoded; nothing was sent
 *
 * @sample io.rdma.coroutines.samples.serialized
 */
public suspend inline fun <reified T> RdmaConnection.send(
    value: T,
    format: SerialFormat,
): Unit = send(value, format, format.serializersModule.serializer<T>())

/** Sends each of [values] as a message in [format], like [RdmaConnection.send] with an encoder. */
public suspend inline fun <reified T> RdmaConnection.send(
    values: Flow<T>,
    format: SerialFormat,
): Unit = send(values, format, format.serializersModule.serializer<T>())

/**
 * Receives one message and decodes it. [format] is that of the peer. The other errors are those of
 * [RdmaConnection.receive].
 *
 * @throws MessageDecodingException if the message is not a [T] in this format. The connection stays usable, and the
 *     next call receives the next message.
 *
 * @sample io.rdma.coroutines.samples.serialized
 */
public suspend inline fun <reified T> RdmaConnection.receive(format: SerialFormat): T =
    receive(format, format.serializersModule.serializer<T>())

/**
 * Receives one value like [receive], or returns null after an orderly end like [RdmaConnection.receiveOrNull]. A value
 * is never null, so null always means the end.
 */
public suspend inline fun <reified T : Any> RdmaConnection.receiveOrNull(format: SerialFormat): T? =
    receiveOrNull(format, format.serializersModule.serializer<T>())

/**
 * Returns a flow of the values of all messages, like [RdmaConnection.incoming]. The values can be kept. A message that
 * is not a [T] ends the flow with a [MessageDecodingException]. The connection stays usable, and the next collector
 * gets the next message.
 */
public inline fun <reified T> RdmaConnection.incoming(format: SerialFormat): Flow<T> =
    incoming(format, format.serializersModule.serializer<T>())

/** Sends [value] as a message in [format] by a given [serializer]. */
public suspend fun <T> RdmaConnection.send(
    value: T,
    format: SerialFormat,
    serializer: SerializationStrategy<T>,
): Unit = if (format.isOfText) send(format.text(serializer, value)) else send(format.encode(serializer, value))

/** Sends each of [values] as a message in [format] by a given [serializer]. */
public suspend fun <T> RdmaConnection.send(
    values: Flow<T>,
    format: SerialFormat,
    serializer: SerializationStrategy<T>,
): Unit =
    if (format.isOfText) {
        send(values.map { format.text(serializer, it) }, TextEncoder)
    } else {
        send(values.map { format.encode(serializer, it) }, BytesEncoder)
    }

/** Receives one value, like [receive] without a serializer, by a given [deserializer]. */
public suspend fun <T> RdmaConnection.receive(
    format: SerialFormat,
    deserializer: DeserializationStrategy<T>,
): T = receive { format.decode(deserializer, it) }

/** Receives one value, like [receiveOrNull] without a serializer, by a given [deserializer]. */
public suspend fun <T : Any> RdmaConnection.receiveOrNull(
    format: SerialFormat,
    deserializer: DeserializationStrategy<T>,
): T? = receiveOrNull { format.decode(deserializer, it) }

/** Returns a flow of the values of all messages, like [incoming] without a serializer, by a given [deserializer]. */
public fun <T> RdmaConnection.incoming(
    format: SerialFormat,
    deserializer: DeserializationStrategy<T>,
): Flow<T> = incoming().decoded { format.decode(deserializer, it) }
