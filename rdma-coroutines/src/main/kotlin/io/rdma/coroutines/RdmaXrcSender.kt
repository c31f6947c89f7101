package io.rdma.coroutines

import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import io.rdma.internal.connect.EstablishedConnection
import io.rdma.internal.connect.XrcConnections
import io.rdma.internal.engine.Endpoint
import io.rdma.internal.engine.Submitter
import io.rdma.internal.engine.WireLog
import io.rdma.internal.engine.XrcRequest
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import java.lang.foreign.MemorySegment
import java.net.InetSocketAddress
import java.util.concurrent.CompletableFuture

/**
 * A sender of extended reliable connections (XRC): its one queue pair reaches every [RdmaXrcReceiver] in the domain of
 * an [RdmaXrcServer]. Each message names its receiver by number. Messages to one receiver arrive in the order in which
 * they were sent, each once. See docs/guide/xrc.md.
 *
 * Every suspending operation:
 * - **returns** when the device of the receiver has acknowledged the message, which is then in a receive buffer of the
 *   receiver. A message to a receiver without a free buffer waits in the device, and all messages behind it wait with
 *   it, whichever receiver they are for.
 * - **errors**: [IllegalArgumentException] for a message that is longer than [maxMessageSize], or a number of more than
 *   24 bits; nothing was posted then. [io.rdma.types.WorkCompletionException] for a request that the device failed,
 *   such as REM_INV_REQ_ERR if the domain has no receiver of that number. The sender is lost then, and all other
 *   operations end with [ConnectionClosedException], whose cause is that first failure. Misuse (closed buffer) throws
 *   [IllegalStateException].
 * - **cancellation** is prompt. A request that is not yet posted is never posted. After the post the message is sent,
 *   but its completion is ignored.
 * - **buffers** are borrowed from the post until the device reports completion, even if the coroutine is cancelled.
 */
public class RdmaXrcSender private constructor(
    private val connection: EstablishedConnection,
    wiretap: String?,
    release: () -> Unit,
) : AutoCloseable {
    /** The engine below this sender, for monitoring and tuning. */
    public val endpoint: RdmaEndpoint get() = engine

    private val engine: Endpoint = connection.endpoint()
    private val log: WireLog? = wiretap?.let { WireLog(it, this) }
    private val submitter: Submitter = log.tapped(engine)
    private val released: CompletableFuture<Void> =
        engine.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    init {
        log?.begin("CONNECTED", engine)
    }

    /**
     * Sends a message of [length] bytes, at most [maxMessageSize], that [writer] writes into a registered buffer, to
     * the receiver of the number [receiver]. Suspends while all send buffers are in use. A message that is larger than
     * a send buffer gets memory of its own.
     */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
        receiver: Int,
    ) {
        if (length !in 0..maxMessageSize) throw XrcRequest.tooLong(engine.options(), length)
        if (length <= engine.sendBuffers().bufferSize()) {
            acquire().use { send(it, length, writer, receiver) }
        } else {
            withContext(Dispatchers.IO) {
                // registering memory blocks
                engine.memory().allocateBuffer(length).use { send(it, length, writer, receiver) }
            }
        }
    }

    private suspend fun send(
        buffer: RegisteredBuffer,
        length: Int,
        writer: (MemorySegment) -> Unit,
        receiver: Int,
    ) {
        writer(buffer.segment().asSlice(0, length.toLong()))
        send(buffer.limit(length), receiver)
    }

    /** Sends the first `limit` bytes of [message]. The caller still owns [message] and closes it. */
    public suspend fun send(
        message: RegisteredBuffer,
        receiver: Int,
    ) {
        submitter.await(XrcRequest.send(message, receiver, false))
    }

    /** Sends [message] like [send], with four bytes of immediate data. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
        receiver: Int,
    ) {
        submitter.await(XrcRequest.sendWithImmediate(message, immediate, receiver))
    }

    /** Acquires a buffer of the pool, for a message. Suspends while the pool is empty. The caller closes it. */
    public suspend fun acquire(): RegisteredBuffer = engine.sendBuffers().await()

    /** Length of the longest message in bytes: that of a receive buffer, as the server has it. */
    public val maxMessageSize: Int get() = engine.options().maxMessageSize()

    /** Address of this side of the exchange. */
    public val localAddress: InetSocketAddress get() = connection.localAddress()

    /** Address of the server. */
    public val remoteAddress: InetSocketAddress get() = connection.remoteAddress()

    /** Whether the sender has begun to close or is closed. */
    public val isClosed: Boolean get() = engine.isClosing

    /** Closes the sender and does not wait. Operations that have not completed fail. */
    override fun close() {
        engine.close()
    }

    /** Closes the sender, and suspends until its resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the sender is closed, for any reason, and its resources are released. */
    public suspend fun awaitClosed() {
        released.awaitShared()
    }

    /** Returns the addresses, for messages and logs. */
    override fun toString(): String = "RdmaXrcSender[$localAddress to $remoteAddress]"

    /** Factory of senders. */
    public companion object {
        /**
         * Connects to the [RdmaXrcServer] on [host] at [port]. Suspends until the sender is connected. Cancellation
         * aborts the attempt.
         *
         * @throws io.rdma.connect.RdmaConnectException QUEUE_PAIR_TYPE or REJECTED if another server listens there,
         *     DEVICE if the device has no extended reliable connections
         * @throws IllegalArgumentException if [configure] asks for RDMA CM, an unreliable connection, credits
         *     (`CREDITS_REQUIRED`) or an alternate path
         * @throws io.rdma.types.VerbsException if the device cannot be used
         */
        public suspend fun connect(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaXrcSender {
            val configuration = RdmaConfiguration().apply(configure)
            return connecting(
                configuration,
                RdmaXrcSender::close,
                { established, release -> RdmaXrcSender(established, configuration.wiretap, release) },
                { used, handler ->
                    XrcConnections.connect(used, configuration.options, InetSocketAddress(host, port), handler)
                },
            )
        }
    }
}
