package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.engine.ConnectionClosedException
import io.rdma.internal.connect.XrcConnections
import io.rdma.internal.engine.WireLog
import io.rdma.internal.engine.XrcReceiver
import kotlinx.coroutines.flow.Flow
import java.nio.file.Path
import java.util.concurrent.CompletableFuture

/**
 * A receiver of extended reliable connections (XRC): a shared receive queue in a domain, in which the messages of all
 * [RdmaXrcSender]s arrive that name its number. See docs/guide/xrc.md.
 *
 * Messages that are not received wait in their receive buffers. When all of these are occupied, senders wait in their
 * devices, and no message is lost.
 */
public class RdmaXrcReceiver private constructor(
    internal val engine: XrcReceiver,
    wiretap: String?,
    release: () -> Unit,
) : AutoCloseable {
    private val log: WireLog? = wiretap?.let { WireLog(it, this) }
    private val inbound = Inbound<ReceivedMessage>(engine, "the receiver is closed")
    private val released: CompletableFuture<Void> =
        engine.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    init {
        log?.begin("BOUND", engine)
    }

    /**
     * Number by which senders name this receiver, of 24 bits. The application tells it to them. After a close, the
     * device may give the number to another receiver.
     */
    public val number: Int get() = engine.number()

    /** Length of the longest message in bytes: that of a receive buffer. */
    public val maxMessageSize: Int get() = engine.maxMessageSize()

    /**
     * Receives one message. [decoder] reads it in its receive buffer, which is posted again when [decoder] returns.
     *
     * @throws ConnectionClosedException when the receiver has ended, with a cause if it was lost
     * @throws IllegalStateException if another coroutine is receiving
     */
    public suspend fun <T> receive(decoder: (ReceivedMessage) -> T): T = inbound.receive(log.tapped(decoder))

    /**
     * Returns the messages, each of which is lent to the code that reads it, one at a time. Each receive buffer is
     * posted again when that code returns. The messages end after a close; [ConnectionClosedException] is thrown when
     * the receiver is lost, because its device failed. There may be one collector at a time. Messages that it did not
     * collect wait for the next collector.
     */
    public fun incoming(): InboundMessages<ReceivedMessage> = InboundMessages(log.tapped(inbound.incoming()))

    /**
     * Returns a flow like [incoming], but the collector owns each message and closes it, including the one that
     * `first()` returns. If the collector's block throws or is cancelled, the flow closes the message.
     */
    public fun receiveOwned(): Flow<ReceivedMessage> = log.tapped(inbound.owned())

    /** Whether the receiver has begun to close or is closed. */
    public val isClosed: Boolean get() = engine.isClosing

    /** Closes the receiver and does not wait. Messages that were not received are dropped. */
    override fun close() {
        if (engine.handsOver(::close)) return
        try {
            engine.close()
        } finally {
            inbound.close()
        }
    }

    /** Closes the receiver, and suspends until its resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the receiver is closed, for any reason, and its resources are released. */
    public suspend fun awaitClosed() {
        released.awaitShared()
    }

    /** Returns the number, for messages and logs. */
    override fun toString(): String = "RdmaXrcReceiver[$number]"

    /** Factory of receivers. */
    public companion object {
        /**
         * Binds a receiver in the domain of the file [domain], which all processes that name the file share, or else in
         * the domain that this process has of the device. The file exists, and its content has no meaning. Of the
         * options the receive buffers apply. Suspends for some milliseconds while the device is opened. Cancellation
         * closes the receiver that is being made.
         *
         * @throws io.rdma.connect.RdmaConnectException DEVICE if the device has no extended reliable connections, BIND
         *     if the file does not exist
         * @throws io.rdma.types.VerbsException if the device cannot be used
         */
        public suspend fun bind(
            domain: Path? = null,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaXrcReceiver {
            val configuration = RdmaConfiguration().apply(configure)
            return blocking(RdmaXrcReceiver::close) {
                val used = configuration.openForDatagrams()
                used.make {
                    val receiver = XrcConnections.receiver(it, configuration.options, domain)
                    RdmaXrcReceiver(receiver, configuration.wiretap, used::release)
                }
            }
        }
    }
}
