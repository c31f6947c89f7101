package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.BoundWindow
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import io.rdma.internal.connect.EstablishedConnection
import io.rdma.internal.engine.Endpoint
import io.rdma.internal.engine.PlacementRequest
import io.rdma.internal.engine.Submitter
import io.rdma.internal.engine.Utf8
import io.rdma.internal.engine.WireLog
import io.rdma.internal.engine.WorkRequest
import io.rdma.types.AccessFlag
import io.rdma.types.PlacementType
import io.rdma.types.RemoteMemory
import io.rdma.types.WorkRequestOpcode
import io.rdma.verbs.MemoryRegion
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.lang.foreign.MemorySegment
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * A connection to one peer, reliable unless [RdmaConfiguration.queuePairType] says otherwise.
 *
 * Every suspending operation, unless stated otherwise:
 * - **errors**: the operation that failed throws [io.rdma.types.WorkCompletionException]. The connection is then
 *   lost, and all other operations end with [ConnectionClosedException], whose cause is that first failure. Misuse
 *   (closed buffer, message too large) throws [IllegalStateException] or [IllegalArgumentException], and the
 *   connection stays usable.
 * - **cancellation** is prompt. A request that is not yet posted is never posted. A posted request is still executed,
 *   but its result is discarded.
 * - **buffers** are borrowed from the post until the device reports completion, even if the coroutine is cancelled.
 * - **completion** on an unreliable connection says that this side's device has sent the message or write, where a
 *   method says that the peer's device has it. It may be lost.
 * - **threads**: the coroutine resumes through its dispatcher.
 */
public class RdmaConnection internal constructor(
    private val connection: EstablishedConnection,
    wiretap: String?,
    release: () -> Unit,
) : AutoCloseable {
    /** The engine below this connection, for monitoring and tuning. */
    public val endpoint: RdmaEndpoint get() = engine

    internal val engine: Endpoint = connection.endpoint()
    private val log: WireLog? = wiretap?.let { WireLog(it, this) }
    private val submitter: Submitter = log.tapped(engine)
    private val inbound = Inbound<ReceivedMessage>(engine, "the connection has ended")
    private val released: CompletableFuture<Void> =
        engine.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    init {
        log?.begin("CONNECTED", engine)
    }

    /**
     * Sends a message of [length] bytes, at most [maxMessageSize], that [writer] writes into a registered buffer.
     * Suspends while the peer or the device has no room, and until the peer's device has the message. A message
     * larger than a send buffer gets registered memory of its own. The peer reads a message that is larger than its
     * receive buffers.
     */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ) {
        if (length !in 0..maxMessageSize) throw engine.options().tooLong(length)
        if (length > engine.sendBuffers().bufferSize()) {
            sendLarge(length, writer)
            return
        }
        acquire().use { buffer ->
            writer(buffer.segment().asSlice(0, length.toLong()))
            submitter.await(WorkRequest.send(buffer.limit(length), false))
        }
    }

    /**
     * Sends [text] as a message in UTF-8, encoded directly into registered memory. A surrogate without its partner
     * becomes a question mark.
     */
    public suspend fun send(text: String): Unit = send(Utf8.length(text)) { Utf8.write(text, it) }

    /** Sends [bytes] as a message. The caller does not change them until this returns. */
    public suspend fun send(bytes: ByteArray): Unit = send(MemorySegment.ofArray(bytes))

    /**
     * Sends the bytes of [buffer] between its position and its limit, neither of which changes. The buffer may be on
     * the heap, direct or read-only. The caller does not change its bytes until this returns. They are not copied if
     * the buffer lies in a region of [allocate] or in memory that [register] still has registered, otherwise once.
     */
    public suspend fun send(buffer: ByteBuffer) {
        val content = MemorySegment.ofBuffer(buffer)
        val registered = if (buffer.isDirect) engine.memory().leaseRegistered(content) else null
        registered?.use { send(it) } ?: send(content)
    }

    private suspend fun send(source: MemorySegment) {
        // A message may have 1 GiB at most, the length of an array or buffer fits into an Int.
        send(source.byteSize().toInt()) { it.copyFrom(source) }
    }

    /**
     * Sends a message that is larger than the buffers of the pool, from a buffer of its own. Registering that
     * buffer blocks.
     */
    private suspend fun sendLarge(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ) = withContext(Dispatchers.IO) {
        engine.memory().allocateBuffer(length).use { buffer ->
            writer(buffer.segment())
            submitter.await(WorkRequest.send(buffer, true)) // so that the peer may be given the key of the buffer
        }
    }

    /**
     * Sends each item as a message, in order. Collects only as many [items] as can be in flight. Returns when the
     * peer's device has all messages. The first error cancels the collection.
     *
     * @sample io.rdma.coroutines.samples.sendFlow
     */
    public suspend fun <T> send(
        items: Flow<T>,
        encoder: MessageEncoder<T>,
    ): Unit =
        coroutineScope {
            val outgoing = OutgoingFlow(engine, log.tapped(encoder), this)
            items.collect(outgoing)
            outgoing.complete()
        }

    /**
     * Acquires a buffer of the connection's pool, for a message or as source or target of an operation. Suspends while
     * the pool is empty. The caller closes the buffer.
     */
    public suspend fun acquire(): RegisteredBuffer = engine.sendBuffers().await()

    /**
     * Sends the first `limit` bytes of [message]. Returns when the peer's device has them. The caller still owns
     * [message] and closes it.
     */
    public suspend fun send(message: RegisteredBuffer) {
        submitter.await(WorkRequest.send(message, false))
    }

    /**
     * Sends the first `limit` bytes of each buffer of [message] as one message, such as a header and a body. The device
     * gathers them by one request. A message that is larger than the peer's receive buffers is copied once. No buffer
     * makes an empty message. With credits the largest number of buffers is one less than `maxSendSge` of the queue
     * pair.
     */
    public suspend fun send(message: List<RegisteredBuffer>) {
        submitter.await(several(WorkRequestOpcode.SEND, message, null))
    }

    private fun several(
        opcode: WorkRequestOpcode,
        buffers: List<RegisteredBuffer>,
        remote: RemoteMemory?,
    ) = WorkRequest.several(opcode, buffers, remote, engine.options())

    /** Sends [message] like [send], with four bytes of immediate data. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
    ) {
        submitter.await(WorkRequest.sendWithImmediate(message, immediate))
    }

    /**
     * Sends [message] like [send], and revokes [window], which the peer bound by its [bind], when the message arrives.
     * The peer thereby learns that this side no longer uses the window: `invalidatedKey()` of the message that it
     * receives returns the key. A key that is not bound to this connection ends the connection.
     */
    public suspend fun sendWithInvalidate(
        message: RegisteredBuffer,
        window: RemoteMemory,
    ) {
        submitter.await(WorkRequest.sendWithInvalidate(message, window))
    }

    /**
     * Receives one message. [decoder] reads it in its receive buffer, which is posted again when [decoder] returns. The
     * message is lent for that call, like those of [incoming].
     *
     * @throws ConnectionClosedException when the connection has ended, with a cause if it was lost
     * @throws IllegalStateException if another coroutine is receiving
     *
     * @sample io.rdma.coroutines.samples.timeout
     */
    public suspend fun <T> receive(decoder: (ReceivedMessage) -> T): T = inbound.receive(log.tapped(decoder))

    /**
     * Receives one message like [receive]. Returns null if the connection has ended in an orderly way, as `firstOrNull`
     * of a flow does. [decoder] never returns null, so null always means the end.
     *
     * @throws ConnectionClosedException when the connection is lost
     * @throws IllegalStateException if another coroutine is receiving
     */
    public suspend fun <T : Any> receiveOrNull(decoder: (ReceivedMessage) -> T): T? =
        inbound.receiveOrNull(log.tapped(decoder))

    /**
     * Receives one message as text in UTF-8. Bytes that are not UTF-8 become U+FFFD, the replacement character. Errors
     * are those of [receive].
     *
     * @sample io.rdma.coroutines.samples.connect
     */
    public suspend fun receiveText(): String = receive(ReceivedMessage::toText)

    /** Receives one message as text like [receiveText], or returns null after an orderly end like [receiveOrNull]. */
    public suspend fun receiveTextOrNull(): String? = receiveOrNull(ReceivedMessage::toText)

    /** Receives one message and returns a copy of its bytes. Errors are those of [receive]. */
    public suspend fun receiveBytes(): ByteArray = receive(ReceivedMessage::toByteArray)

    /** Receives one message like [receiveBytes], or returns null after an orderly end like [receiveOrNull]. */
    public suspend fun receiveBytesOrNull(): ByteArray? = receiveOrNull(ReceivedMessage::toByteArray)

    /**
     * Returns the messages, each of which is lent to the code that reads it, one at a time. Each receive buffer is
     * posted again when that code returns, so a slow collector slows the peer down. The messages end after an orderly
     * close; [ConnectionClosedException] is thrown when the connection is lost or aborted. There may be one collector
     * at a time. Messages that it did not collect wait for the next collector.
     *
     * @sample io.rdma.coroutines.samples.incoming
     */
    public fun incoming(): InboundMessages<ReceivedMessage> = InboundMessages(log.tapped(inbound.incoming()))

    /**
     * Returns a flow like [incoming], but the collector owns each message and closes it, including the one that
     * `first()` returns. If the collector's block throws or is cancelled, the flow closes the message.
     */
    public fun receiveOwned(): Flow<ReceivedMessage> = log.tapped(inbound.owned())

    /**
     * Writes the first `limit` bytes of [source] into the peer's memory. The peer's CPU takes no part in it, and the
     * peer's application is not notified.
     */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
    ) {
        submitter.await(WorkRequest.write(source, target))
    }

    /**
     * Writes the first `limit` bytes of each buffer of [source], at most `maxSendSge` of them, into the peer's memory,
     * one behind the other. That is one request.
     */
    public suspend fun write(
        source: List<RegisteredBuffer>,
        target: RemoteMemory,
    ) {
        submitter.await(several(WorkRequestOpcode.RDMA_WRITE, source, target))
    }

    /** Writes into the peer's memory and notifies the peer, which receives an empty message with the immediate data. */
    public suspend fun writeWithImmediate(
        source: RegisteredBuffer,
        target: RemoteMemory,
        immediate: Int,
    ) {
        submitter.await(WorkRequest.writeWithImmediate(source, target, immediate))
    }

    /**
     * Reads the peer's memory into the first `limit` bytes of [target]. Until this returns, [target] must be neither
     * read nor written.
     */
    public suspend fun read(
        source: RemoteMemory,
        target: RegisteredBuffer,
    ) {
        submitter.await(WorkRequest.read(source, target))
    }

    /**
     * Reads the peer's memory into the buffers of [target], at most `maxSendSge` of them and none twice, by one
     * request. Each is filled up to its `limit`. A read has at most `max_sge_rd` targets, often one on iWARP.
     */
    public suspend fun read(
        source: RemoteMemory,
        target: List<RegisteredBuffer>,
    ) {
        submitter.await(several(WorkRequestOpcode.RDMA_READ, target, source))
    }

    /**
     * Adds [addend] to eight bytes of the peer's memory, which are aligned to eight bytes and in the peer's byte order.
     * Returns the old value.
     *
     * @sample io.rdma.coroutines.samples.oneSided
     */
    public suspend fun fetchAndAdd(
        target: RemoteMemory,
        addend: Long,
    ): Long = submitter.awaitValue(WorkRequest.fetchAndAdd(target, addend))

    /** Replaces eight bytes of the peer's memory by [update] if they are equal to [expected]. Returns the old value. */
    public suspend fun compareAndSwap(
        target: RemoteMemory,
        expected: Long,
        update: Long,
    ): Long = submitter.awaitValue(WorkRequest.compareAndSwap(target, expected, update))

    /**
     * Writes eight bytes into the peer's memory at once, after all writes that began before. A program of the peer that
     * sees them sees those writes, too. [target] is aligned to eight bytes, and [value] is in the byte order of this
     * host.
     *
     * @throws io.rdma.engine.UnsupportedRequestException where [RdmaEndpoint.hasAtomicWrites] is false
     */
    public suspend fun atomicWrite(
        target: RemoteMemory,
        value: Long,
    ) {
        submitter.await(PlacementRequest.atomicWrite(target, value))
    }

    /**
     * Waits until all writes to [memory] of the peer that began before are visible or persistent there, as [type] says.
     * A write by itself returns earlier: when the peer's device has received its bytes. Where a device has no FLUSH, a
     * read of the last bytes gives [PlacementType.GLOBAL_VISIBILITY]; [RdmaEndpoint.flushMethod] tells which of the two
     * it is, for programs that do not want the read. Memory without the right that [io.rdma.engine.FlushMethod] names
     * ends the connection.
     *
     * @throws io.rdma.engine.UnsupportedRequestException if there is no way to the guarantee
     *
     * @sample io.rdma.coroutines.samples.durable
     */
    public suspend fun flush(
        memory: RemoteMemory,
        type: PlacementType,
    ) {
        submitter.await(PlacementRequest.flush(memory, type, engine.flushMethod(type)))
    }

    /**
     * Writes into the peer's memory like [write], with a [flush] behind it, and returns when the bytes are visible or
     * persistent. Both requests are under way at the same time.
     *
     * @sample io.rdma.coroutines.samples.durable
     */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
        type: PlacementType,
    ): Unit =
        coroutineScope {
            launch(start = CoroutineStart.UNDISPATCHED) { write(source, target) }
            flush(target.slice(0, minOf(source.limit().toLong(), target.length())), type)
        }

    /** Allocates registered memory, filled with zeros. It is closed with the connection at the latest. */
    public fun allocate(
        bytes: Long,
        vararg access: AccessFlag,
    ): MemoryRegion = engine.memory().allocate(bytes, access.toSet())

    /**
     * Grants the peer access to [length] bytes from [offset] of a region of this connection for a limited [time], by
     * a key of its own. The application sends the `remote()` of the grant to the peer. The grant ends when the time
     * is over, when it is closed, or with the connection. A request of the peer that arrives later fails, and ends
     * the connection.
     *
     * @sample io.rdma.coroutines.samples.grant
     */
    public fun grant(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        time: Duration,
        vararg access: AccessFlag,
    ): MemoryRegion = engine.memory().grant(memory, offset, length, time.toJavaDuration(), access.toSet())

    /**
     * Binds a memory window, by which the peer may access [length] bytes from [offset] of a region of this connection.
     * This is like [grant], but registers no memory, is for this connection only, and has no time limit: the access
     * ends when the window is closed or when the peer calls [sendWithInvalidate]. Some devices, including `rdma_rxe`,
     * check the range of a request only against the whole region. Returns when the device has bound the window. The
     * caller closes it, otherwise the end of the connection does. The region needs [AccessFlag.MW_BIND], and
     * [AccessFlag.LOCAL_WRITE] if the peer may write. Without them the connection ends.
     *
     * @throws io.rdma.types.VerbsException EOPNOTSUPP if the device has no windows
     */
    public suspend fun bind(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        vararg access: AccessFlag,
    ): BoundWindow =
        suspendCancellableCoroutine { continuation ->
            log?.event("BIND_MW of $length bytes from $offset")
            engine.memory().bind(memory, offset, length, access.toSet()).whenComplete { window, error ->
                if (error == null) {
                    continuation.resume(window) { _, late, _ -> late.close() }
                } else {
                    continuation.resumeWithException(error)
                }
            }
        }

    /**
     * Registers [memory] of the application as source or target of operations, without a copy. It must be native memory
     * and not of a confined arena. The registration is cached: to register a part of memory that was registered before
     * costs no system call. The caller closes the buffer, and frees the memory only after its operations have ended.
     *
     * @see io.rdma.buffer.RegistrationCache
     */
    public suspend fun register(memory: MemorySegment): RegisteredBuffer =
        blocking(RegisteredBuffer::close) { engine.memory().register(memory) }

    /** Size of the largest message that the peer can receive, in bytes. */
    public val maxMessageSize: Int get() = engine.options().maxMessageSize()

    /** Local address of the exchange that made the connection. */
    public val localAddress: InetSocketAddress get() = connection.localAddress()

    /** Address of the peer in that exchange. */
    public val remoteAddress: InetSocketAddress get() = connection.remoteAddress()

    /** Whether the connection has begun to end or has ended. */
    public val isClosed: Boolean get() = engine.isClosing

    /**
     * Closes the connection and does not wait. Waiting operations fail, messages that were not received are dropped,
     * and the peer gets an orderly end. While a stream is being sent, or while messages wait to be sent, the end would
     * not be orderly: the peer then gets an error, as after [abort].
     */
    override fun close() {
        if (engine.handsOver(::close)) return
        try {
            engine.close()
        } finally {
            inbound.close()
        }
    }

    /**
     * Aborts the connection. This is like [close], but the peer's receiver ends with an error even if all messages
     * arrived. A server aborts when a handler fails. All users of the connection on this side get [cause]. Nothing of
     * it is sent to the peer. If the peer has closed before, the receiver on this side ends with [cause] all the same,
     * unless it has ended or [close] came first: it misses the messages that it has not received.
     */
    public fun abort(cause: Throwable) {
        if (engine.handsOver { abort(cause) }) return
        try {
            engine.abort(cause)
        } finally {
            inbound.close(cause)
        }
    }

    /** Runs [action] as [Inbound.onExhausted] does. */
    internal fun onExhausted(action: () -> Unit): Unit = inbound.onExhausted(action)

    /** Ends the connection after its handler: closes it, or aborts it if the handler failed. */
    internal fun end(failure: Throwable?) {
        if (failure == null) close() else abort(failure)
    }

    /** Closes the connection, and suspends until its resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the connection is closed, for any reason, and its resources are released. */
    public suspend fun awaitClosed() {
        released.awaitShared()
    }

    /** Whether messages wait that nobody has received. */
    internal val hasMessages: Boolean get() = !engine.receives().isEmpty

    /** Runs [action] when the connection is closed and its resources are released. */
    internal fun whenClosed(action: () -> Unit) {
        released.whenComplete { _, _ -> action() }
    }

    /** Returns the addresses of both ends, for messages and logs. */
    override fun toString(): String = "RdmaConnection[$localAddress -> $remoteAddress]"
}
