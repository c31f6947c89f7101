package io.rdma.coroutines

import io.rdma.buffer.ReceivedMessage
import io.rdma.buffer.RegisteredBuffer
import io.rdma.connect.EstablishedConnection
import io.rdma.engine.BoundWindow
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import io.rdma.engine.WorkRequest
import io.rdma.verbs.AccessFlag
import io.rdma.verbs.MemoryRegion
import io.rdma.verbs.RemoteMemory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.lang.foreign.MemorySegment
import java.net.InetSocketAddress
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * A reliable connection to one peer.
 *
 * Every suspending operation, unless said otherwise:
 * - **errors**: [io.rdma.verbs.WorkCompletionException] for the operation that failed; the connection is lost then, and
 *   all others end with [ConnectionClosedException] whose cause is that first failure. Misuse (closed buffer, message
 *   too large) is [IllegalStateException] or [IllegalArgumentException], and the connection goes on.
 * - **cancellation** is prompt: before the request is posted it never will be; afterwards the operation happens, only
 *   nobody waits for it.
 * - **buffers** are borrowed from the post to the completion of the device, whatever becomes of the coroutine.
 * - resumes through the coroutine's dispatcher.
 */
public class RdmaConnection internal constructor(
    private val connection: EstablishedConnection,
    release: () -> Unit,
) : AutoCloseable {
    private val endpoint: RdmaEndpoint = connection.endpoint()
    private val inbound = Inbound<ReceivedMessage>(endpoint, "the connection has ended")
    private val released: CompletableFuture<Void> =
        endpoint.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    /**
     * Sends a message of [length] bytes that [writer] puts into a registered buffer; suspends while the peer or the
     * device has no room, and until the peer's device has it. At most [maxMessageSize]; what does not fit into a send
     * buffer gets registered memory of its own, what does not fit into the peer's receive buffers is read by it.
     */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ) {
        require(length in 0..maxMessageSize()) {
            "message of $length bytes: the peer receives at most ${maxMessageSize()}. " +
                "Send less, or configure larger receiveBuffers or maxMessageSize there"
        }
        if (length > endpoint.sendBuffers().bufferSize()) {
            sendLarge(length, writer)
            return
        }
        acquire().use { buffer ->
            writer(buffer.segment().asSlice(0, length.toLong()))
            endpoint.await(WorkRequest.send(buffer.limit(length), false))
        }
    }

    /** A message that does not fit into a buffer of the pool gets one of its own; registering memory takes its time. */
    private suspend fun sendLarge(
        length: Int,
        writer: (MemorySegment) -> Unit,
    ) = withContext(Dispatchers.IO) {
        endpoint.allocateBuffer(length).use { buffer ->
            writer(buffer.segment())
            endpoint.await(WorkRequest.send(buffer, false))
        }
    }

    /**
     * Sends each item as a message, in order; collects [items] only as fast as there are send buffers. Returns when the
     * peer's device has all messages; the first error cancels the collection.
     *
     * @sample io.rdma.coroutines.samples.sendFlow
     */
    public suspend fun <T> send(
        items: Flow<T>,
        encoder: MessageEncoder<T>,
    ): Unit =
        coroutineScope {
            val outgoing = OutgoingFlow(endpoint, encoder, this)
            items.collect(outgoing)
            outgoing.complete()
        }

    /**
     * A buffer of the connection's pool, for a message or as source or target; suspends while the pool is empty. The
     * caller closes it.
     */
    public suspend fun acquire(): RegisteredBuffer = endpoint.sendBuffers().await()

    /**
     * Sends the first `limit` bytes of [message], which stays the caller's to close; returns when the peer's device has
     * them.
     */
    public suspend fun send(message: RegisteredBuffer) {
        endpoint.await(WorkRequest.send(message, false))
    }

    /** Like [send], with four bytes of immediate data. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
    ) {
        endpoint.await(WorkRequest.sendWithImmediate(message, immediate))
    }

    /**
     * Like [send]; its arrival revokes a [window] that the peer bound by its [bind], so that the peer knows that this
     * side is done with it: the message there has the key, `invalidatedKey()`. A key that is not bound to this
     * connection ends it.
     */
    public suspend fun sendWithInvalidate(
        message: RegisteredBuffer,
        window: RemoteMemory,
    ) {
        endpoint.await(WorkRequest.sendWithInvalidate(message, window))
    }

    /**
     * Receives one message, decoded in its receive buffer, which is posted again when [decoder] returns. The message is
     * lent for the call, as those of [incoming] are.
     *
     * @throws ConnectionClosedException at the end, with a cause if the connection was lost
     * @throws IllegalStateException if somebody else receives
     *
     * @sample io.rdma.coroutines.samples.timeout
     */
    public suspend fun <T> receive(decoder: (ReceivedMessage) -> T): T = inbound.receive(decoder)

    /**
     * The messages, one at a time: each buffer is posted again when the collector's block returns. A slow collector
     * slows the peer down. Completes after an orderly close, throws [ConnectionClosedException] when the connection is
     * lost. One collector at a time; messages that were not collected wait for the next.
     *
     * A message is lent to the block: a use of it after that fails until the handle is lent for a later message in the
     * same receive buffer, and is a use of that one then; with leak detection `paranoid` it always fails. So operators
     * that keep items (`buffer`, `toList`, `shareIn`) belong behind a `map` that copies, or behind [receiveOwned].
     *
     * @sample io.rdma.coroutines.samples.incoming
     */
    public fun incoming(): Flow<ReceivedMessage> = inbound.incoming()

    /**
     * Like [incoming], but the collector owns each message and closes it, also the one that `first()` returns. If its
     * block throws or is cancelled, the message is closed.
     */
    public fun receiveOwned(): Flow<ReceivedMessage> = inbound.owned()

    /** Writes the first `limit` bytes of [source] into the peer's memory, which is neither involved nor told. */
    public suspend fun write(
        source: RegisteredBuffer,
        target: RemoteMemory,
    ) {
        endpoint.await(WorkRequest.write(source, target))
    }

    /** Writes into the peer's memory and tells the peer: it receives an empty message with the immediate data. */
    public suspend fun writeWithImmediate(
        source: RegisteredBuffer,
        target: RemoteMemory,
        immediate: Int,
    ) {
        endpoint.await(WorkRequest.writeWithImmediate(source, target, immediate))
    }

    /**
     * Reads the peer's memory into the first `limit` bytes of [target], which is neither readable nor writable until
     * then.
     */
    public suspend fun read(
        source: RemoteMemory,
        target: RegisteredBuffer,
    ) {
        endpoint.await(WorkRequest.read(source, target))
    }

    /**
     * Adds to eight bytes of the peer's memory, on an eight-byte boundary and in its byte order; returns the old value.
     *
     * @sample io.rdma.coroutines.samples.oneSided
     */
    public suspend fun fetchAndAdd(
        target: RemoteMemory,
        addend: Long,
    ): Long = endpoint.awaitValue(WorkRequest.fetchAndAdd(target, addend))

    /** Replaces eight bytes of the peer's memory if they are [expected]; returns the old value. */
    public suspend fun compareAndSwap(
        target: RemoteMemory,
        expected: Long,
        update: Long,
    ): Long = endpoint.awaitValue(WorkRequest.compareAndSwap(target, expected, update))

    /** Allocates registered memory, zeroed; closed with the connection unless closed before. */
    public fun allocate(
        bytes: Long,
        vararg access: AccessFlag,
    ): MemoryRegion = endpoint.allocate(bytes, access.toSet())

    /**
     * Lets the peer use [length] bytes from [offset] of a region of this connection for some [time], with a key of its
     * own: the peer is to get the grant's `remote()`. It ends by itself, or by its close, or with the connection; a
     * request of the peer's that comes later fails, and with it the connection.
     *
     * @sample io.rdma.coroutines.samples.grant
     */
    public fun grant(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        time: Duration,
        vararg access: AccessFlag,
    ): MemoryRegion = endpoint.grant(memory, offset, length, time.toJavaDuration(), access.toSet())

    /**
     * Lets the peer use [length] bytes from [offset] of a region of this connection through a memory window: as
     * [grant], but without registering memory, for this connection alone, and until the window is closed or the peer
     * does [sendWithInvalidate]. Some devices, `rdma_rxe` among them, check the range against the whole region only.
     * Returns when the device has bound it; the caller closes the window, else the connection does. The region needs
     * [AccessFlag.MW_BIND], and [AccessFlag.LOCAL_WRITE] if the peer may write; without them the connection ends.
     *
     * @throws io.rdma.verbs.VerbsException EOPNOTSUPP if the device has no windows
     */
    public suspend fun bind(
        memory: MemoryRegion,
        offset: Long,
        length: Long,
        vararg access: AccessFlag,
    ): BoundWindow =
        suspendCancellableCoroutine { continuation ->
            endpoint.bind(memory, offset, length, access.toSet()).whenComplete { window, error ->
                if (error == null) {
                    continuation.resume(window) { _, late, _ -> late.close() }
                } else {
                    continuation.resumeWithException(error)
                }
            }
        }

    /**
     * Makes [memory] of the application, native and not of a confined arena, usable as source or target of operations,
     * without a copy. It stays registered for the next time: a part of memory that was registered before costs no
     * system call. The caller closes the buffer, and frees the memory only when its operations have ended.
     *
     * @see io.rdma.buffer.RegistrationCache
     */
    public suspend fun register(memory: MemorySegment): RegisteredBuffer =
        suspendCancellableCoroutine { continuation ->
            Thread.startVirtualThread {
                try {
                    continuation.resume(endpoint.register(memory)) { _, late, _ -> late.close() }
                } catch (e: Throwable) {
                    // whoever waits must hear of it, whatever it is
                    continuation.resumeWithException(e)
                }
            }
        }

    /** Largest message that the peer can receive, in bytes. */
    public fun maxMessageSize(): Int = endpoint.options().maxMessageSize()

    /** Local address of the exchange that made the connection. */
    public fun localAddress(): InetSocketAddress = connection.localAddress()

    /** Address of the peer in that exchange. */
    public fun remoteAddress(): InetSocketAddress = connection.remoteAddress()

    /** The engine below, for what this class does not offer. */
    public fun endpoint(): RdmaEndpoint = endpoint

    /** Whether the end has begun. */
    public fun isClosed(): Boolean = endpoint.isClosing

    /**
     * Closes: what waits fails, what was not received is dropped, and the peer is told that this was all. In the middle
     * of a stream, or with messages that wait, it was not, and the peer is told that, as by [abort]. Does not wait.
     */
    override fun close() {
        endpoint.close()
        inbound.close()
    }

    /**
     * Gives the connection up: as [close], but what the peer receives ends with an error, also if all messages arrived.
     * Servers do so when a handler fails. Everybody on this side gets the [cause], of which nothing is sent.
     */
    public fun abort(cause: Throwable) {
        endpoint.abort(cause)
        inbound.close()
    }

    /** At the end of a handler, which has returned or failed. */
    internal fun end(failure: Throwable?) {
        if (failure == null) close() else abort(failure)
    }

    /** Closes, and suspends until the resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the connection is closed, for whatever reason, and its resources are released. */
    public suspend fun awaitClosed() {
        // A copy: the cancellation of one waiter must not cancel what the others wait for.
        released.copy().await()
    }

    /** Both ends' addresses, for messages and logs. */
    override fun toString(): String = "RdmaConnection[${localAddress()} -> ${remoteAddress()}]"
}
