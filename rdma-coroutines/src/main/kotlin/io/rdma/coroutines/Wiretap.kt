package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.internal.engine.MessageSource
import io.rdma.internal.engine.Operation
import io.rdma.internal.engine.Submitter
import io.rdma.internal.engine.WireLog
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.onEach
import java.lang.foreign.MemorySegment

// Parts of connections and sockets that log what passes through them. Each function returns the part itself if there is
// no log, so that a connection without a wiretap tests nothing per message.

/** Submitter that logs each request before it submits it. */
private class TappedSubmitter(
    private val submitter: Submitter,
    private val log: WireLog,
) : Submitter {
    override fun submit(operation: Operation) {
        log.request(operation.request())
        try {
            submitter.submit(operation)
        } catch (e: Throwable) {
            log.failed(operation.request(), e)
            throw e
        }
    }
}

/** Encoder that logs each message that it has written. */
private class TappedEncoder<T>(
    private val encoder: MessageEncoder<T>,
    private val log: WireLog,
) : MessageEncoder<T> {
    override fun length(item: T): Int = encoder.length(item)

    override fun encode(
        item: T,
        target: MemorySegment,
    ): Int {
        val length = encoder.encode(item, target)
        if (length in 0..target.byteSize()) log.message("SEND", target.asSlice(0, length.toLong()))
        return length
    }
}

internal fun WireLog?.tapped(submitter: Submitter): Submitter =
    if (this == null) submitter else TappedSubmitter(submitter, this)

internal fun <T> WireLog?.tapped(encoder: MessageEncoder<T>): MessageEncoder<T> =
    if (this == null) encoder else TappedEncoder(encoder, this)

internal fun <M : ReceivedMessage, T> WireLog?.tapped(decoder: (M) -> T): (M) -> T =
    if (this == null) {
        decoder
    } else {
        { message ->
            received(message)
            decoder(message)
        }
    }

internal fun <M : ReceivedMessage> WireLog?.tapped(messages: Flow<M>): Flow<M> =
    if (this == null) messages else messages.onEach(::received)

/** Logs the beginning of a connection or socket now, and its end when it comes. */
internal fun WireLog.begin(
    begun: String,
    source: MessageSource,
) {
    event(begun)
    source.closed().thenRun {
        val failure = source.failure()
        event(if (failure == null) "CLOSED" else "CLOSED after $failure")
    }
}
