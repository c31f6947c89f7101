package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector

/**
 * The messages that arrive, each of which is lent to the code that reads it. Its receive buffer is posted again when
 * that code returns.
 *
 * This is not a [Flow] of the messages: an operator such as `toList`, `buffer` or `shareIn` would keep a message that
 * is no longer valid. [texts], [bytes] and [decoded] are flows of values, which any operator may keep. For messages
 * that can be kept themselves see [RdmaConnection.receiveOwned].
 *
 * @sample io.rdma.coroutines.samples.incoming
 */
public class InboundMessages<out M : ReceivedMessage> internal constructor(
    private val messages: Flow<M>,
) {
    /**
     * Lends each message to [collector], one at a time. A later use of a message fails, until the handle is reused for
     * a later message in the same receive buffer: from then on it accesses that message. With leak detection `paranoid`
     * it always fails. Returns after an orderly end; the errors are those of [RdmaConnection.incoming].
     */
    public suspend fun collect(collector: FlowCollector<M>): Unit = messages.collect(collector)

    /** Returns a flow of copies of the messages, as text in UTF-8. Bytes that are not UTF-8 become U+FFFD. */
    public fun texts(): Flow<String> = messages.texts()

    /** Returns a flow of copies of the messages, as bytes. */
    public fun bytes(): Flow<ByteArray> = messages.bytes()

    /**
     * Returns a flow of the results of [decoder], which reads each message in its receive buffer, and copies what it
     * keeps. The message is closed when [decoder] returns or throws.
     */
    public fun <T> decoded(decoder: (M) -> T): Flow<T> = messages.decoded(decoder)
}
