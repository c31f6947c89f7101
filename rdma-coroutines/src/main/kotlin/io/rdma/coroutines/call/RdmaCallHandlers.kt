package io.rdma.coroutines.call

import io.rdma.coroutines.RdmaDsl
import io.rdma.coroutines.serialization.decode
import io.rdma.coroutines.serialization.encode
import io.rdma.internal.call.CallErrors
import io.rdma.internal.call.CallFrame
import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.SerialFormat
import kotlinx.serialization.SerializationStrategy
import kotlinx.serialization.serializer

/** Receiver of the block in which an [RdmaCallServer] gets its handlers. */
@RdmaDsl
public class RdmaCallHandlers internal constructor(
    @PublishedApi internal val format: SerialFormat,
) {
    internal val handlers = HashMap<String, suspend (ByteArray) -> ByteArray>()

    /**
     * Adds the handler of the calls of a [name], 1 to 255 bytes in UTF-8. [handler] is cancelled when the client
     * cancels the call, when its time is over, and when the connection has ended. It throws
     * [io.rdma.call.RdmaCallException.of] to report an error of the application. Of any other exception the client gets
     * the class, and the log the details.
     *
     * @throws IllegalArgumentException if the name is used or too long
     */
    public inline fun <reified Q, reified A> handle(
        name: String,
        noinline handler: suspend (Q) -> A,
    ): Unit = handle(name, format.serializersModule.serializer<Q>(), format.serializersModule.serializer<A>(), handler)

    /** Adds a handler, like [handle] without serializers, for types that are not known to the compiler. */
    public fun <Q, A> handle(
        name: String,
        requests: DeserializationStrategy<Q>,
        answers: SerializationStrategy<A>,
        handler: suspend (Q) -> A,
    ) {
        CallFrame.checkedName(name)
        require(name !in handlers) { "there is a handler \"$name\" already: choose another name" }
        handlers[name] = { body ->
            val request =
                try {
                    format.decode(requests, body)
                } catch (e: RuntimeException) {
                    throw CallErrors.undecodableRequest(name, e)
                }
            format.encode(answers, handler(request))
        }
    }
}
