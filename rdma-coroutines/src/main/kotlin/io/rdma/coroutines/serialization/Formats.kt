package io.rdma.coroutines.serialization

import io.rdma.buffer.MessageDecodingException
import io.rdma.buffer.ReceivedMessage
import kotlinx.serialization.BinaryFormat
import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.SerialFormat
import kotlinx.serialization.SerializationStrategy
import kotlinx.serialization.StringFormat

/** Whether messages of the format are texts. A format of both kinds is used as a binary one. */
internal val SerialFormat.isOfText: Boolean get() = this is StringFormat && this !is BinaryFormat

internal fun <T> SerialFormat.text(
    serializer: SerializationStrategy<T>,
    value: T,
): String = (this as StringFormat).encodeToString(serializer, value)

internal fun <T> SerialFormat.encode(
    serializer: SerializationStrategy<T>,
    value: T,
): ByteArray =
    when (this) {
        is BinaryFormat -> encodeToByteArray(serializer, value)
        is StringFormat -> text(serializer, value).encodeToByteArray()
        else -> throw unusable()
    }

/** Decodes a message. The device may use its buffer again while the format works. */
internal fun <T> SerialFormat.decode(
    deserializer: DeserializationStrategy<T>,
    message: ReceivedMessage,
): T {
    val bytes = message.toByteArray()
    message.close()
    return decode(deserializer, bytes)
}

internal fun <T> SerialFormat.decode(
    deserializer: DeserializationStrategy<T>,
    bytes: ByteArray,
): T {
    try {
        if (this is BinaryFormat) return decodeFromByteArray(deserializer, bytes)
        if (this is StringFormat) {
            return decodeFromString(deserializer, bytes.decodeToString(throwOnInvalidSequence = true))
        }
    } catch (e: Exception) {
        // Formats and the classes of an application throw exceptions of many types at bytes that they do not expect.
        throw undecodable(deserializer, bytes.size, e)
    } catch (e: StackOverflowError) {
        // the value is nested too deeply
        throw undecodable(deserializer, bytes.size, e)
    }
    throw unusable()
}

/** Returns the exception for a message. It does not quote the message, which may be confidential; its cause may. */
private fun SerialFormat.undecodable(
    deserializer: DeserializationStrategy<*>,
    length: Int,
    cause: Throwable,
) = MessageDecodingException(
    "message of $length bytes is not a ${deserializer.descriptor.serialName} in the format ${javaClass.name}: use the" +
        " same format, format settings and version of the class at both ends, or receive its bytes by receiveBytes()",
    cause,
)

private fun SerialFormat.unusable() =
    IllegalArgumentException("${javaClass.name} is no format for messages: use a BinaryFormat or a StringFormat")
