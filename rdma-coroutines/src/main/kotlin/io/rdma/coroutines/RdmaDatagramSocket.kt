package io.rdma.coroutines

import io.rdma.buffer.ReceivedDatagram
import io.rdma.buffer.RegisteredBuffer
import io.rdma.connect.DatagramBinding
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.DatagramEndpoint
import io.rdma.engine.WorkRequest
import io.rdma.verbs.DatagramAddress
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import java.lang.foreign.MemorySegment
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.CompletableFuture

/**
 * Unreliable datagrams (UD), to and from anybody: one packet each, which may be lost, and nobody is told. See
 * docs/guide/datagrams.md.
 *
 * Every suspending operation, unless said otherwise:
 * - **errors**: [io.rdma.engine.DatagramTooLongException] for a message that does not fit into a packet and
 *   [io.rdma.verbs.VerbsException] for a destination that no path leads to; the others go on.
 *   [io.rdma.verbs.WorkCompletionException] for a request that the device failed; the endpoint is lost then, and all
 *   others end with [ConnectionClosedException] whose cause is that first failure. Misuse (closed buffer) is
 *   [IllegalStateException].
 * - **cancellation** is prompt: before the request is posted it never will be; afterwards the datagram is sent, only
 *   nobody waits for it.
 * - **buffers** are borrowed from the post to the completion of the device, whatever becomes of the coroutine.
 * - resumes through the coroutine's dispatcher.
 */
public class RdmaDatagramSocket private constructor(
    private val binding: DatagramBinding,
    release: () -> Unit,
) : AutoCloseable {
    private val endpoint: DatagramEndpoint = binding.endpoint()
    private val inbound = Inbound<ReceivedDatagram>(endpoint.endpoint(), "the datagram endpoint is closed")
    private val released: CompletableFuture<Void> =
        binding.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    /**
     * Sends a datagram of [length] bytes, at most [maxMessageSize], that [writer] puts into a registered buffer;
     * suspends while all send buffers are in use, and until the device has sent it. Whether it arrives at [destination]
     * nobody knows.
     */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
        destination: DatagramAddress,
    ) {
        if (length !in 0..maxMessageSize()) throw endpoint.tooLong(length)
        acquire().use { buffer ->
            writer(buffer.segment().asSlice(0, length.toLong()))
            endpoint.await(WorkRequest.sendTo(buffer.limit(length), destination, false))
        }
    }

    /**
     * Sends the first `limit` bytes of [message], which stays the caller's to close; returns when the device has sent
     * them.
     */
    public suspend fun send(
        message: RegisteredBuffer,
        destination: DatagramAddress,
    ) {
        endpoint.await(WorkRequest.sendTo(message, destination, false))
    }

    /** Like [send], with four bytes of immediate data. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
        destination: DatagramAddress,
    ) {
        endpoint.await(WorkRequest.sendToWithImmediate(message, immediate, destination))
    }

    /** A buffer of the endpoint's pool, for a datagram; suspends while the pool is empty. The caller closes it. */
    public suspend fun acquire(): RegisteredBuffer = endpoint.endpoint().sendBuffers().await()

    /**
     * Receives one datagram, decoded in its receive buffer, which is posted again when [decoder] returns. What it reads
     * is a stranger's.
     *
     * @throws ConnectionClosedException at the end, with a cause if the endpoint was lost
     * @throws IllegalStateException if somebody else receives
     */
    public suspend fun <T> receive(decoder: (ReceivedDatagram) -> T): T = inbound.receive(decoder)

    /**
     * The datagrams, one at a time: each buffer is posted again when the collector's block returns. What arrives while
     * all buffers are taken, by a slow collector or none, is lost. Completes after a close, throws
     * [ConnectionClosedException] when the endpoint is lost; a bad datagram is neither, the device and the engine drop
     * it. One collector at a time; datagrams that were not collected wait for the next.
     */
    public fun incoming(): Flow<ReceivedDatagram> = inbound.incoming()

    /**
     * Like [incoming], but the collector owns each datagram and closes it, also the one that `first()` returns. If its
     * block throws or is cancelled, the datagram is closed.
     */
    public fun receiveOwned(): Flow<ReceivedDatagram> = inbound.owned()

    /**
     * Finds whoever has bound [port] of [host]. Cancellation breaks it off.
     *
     * @throws io.rdma.connect.RdmaConnectException REJECTED if nobody has bound it, UNREACHABLE or TIMEOUT if the host
     *     does not answer, ADDR_ERROR or ROUTE_ERROR if no way by this device leads there
     */
    public suspend fun resolve(
        host: String,
        port: Int,
    ): DatagramAddress = binding.resolve(InetSocketAddress.createUnresolved(host, port)).await()

    /**
     * Joins a multicast [group], and returns its address when what is sent to it from then on arrives here, too; again,
     * it does nothing. Cancellation stops the waiting only: [leave] undoes it.
     *
     * @throws io.rdma.connect.RdmaConnectException if it was not joined
     */
    public suspend fun join(group: InetAddress): DatagramAddress = binding.join(group).await()

    /**
     * Leaves a [group], which a close does, too; returns when nothing more comes from it. Cancellation stops the
     * waiting only.
     *
     * @throws IllegalStateException if it was not joined
     */
    public suspend fun leave(group: InetAddress) {
        binding.leave(group).await()
    }

    /** Longest datagram in bytes: the port's MTU. */
    public fun maxMessageSize(): Int = endpoint.maxMessageSize()

    /** Where others find this by [resolve], with the real port. */
    public fun localAddress(): InetSocketAddress = binding.address()

    /** The engine below, for what this class does not offer. */
    public fun endpoint(): DatagramEndpoint = endpoint

    /** Whether the end has begun. */
    public fun isClosed(): Boolean = endpoint.endpoint().isClosing

    /** Closes: what is not completed fails, what was not received is dropped, groups are left. Does not wait. */
    override fun close() {
        binding.close()
        inbound.close()
    }

    /** Closes, and suspends until the resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until this is closed, for whatever reason, and its resources are released. */
    public suspend fun awaitClosed() {
        // A copy: the cancellation of one waiter must not cancel what the others wait for.
        released.copy().await()
    }

    /** The local address, for messages and logs. */
    override fun toString(): String = "RdmaDatagramSocket[${localAddress()}]"

    /** Where endpoints are made. */
    public companion object {
        /**
         * Binds to [port], 0 for a free one, of RDMA CM's UDP port space at [host], an address of the device's and not
         * the wildcard. Of the options count the depths, the numbers of buffers, `signalEvery`, `handshakeTimeout` for
         * look-ups and joins, and `drainTimeout`. Opening the device blocks for some milliseconds.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use or the address of no RDMA device
         * @throws io.rdma.verbs.RdmaException if the device cannot be used, or there is no connection manager
         */
        public fun bind(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaDatagramSocket {
            val configuration = RdmaConfiguration().apply(configure)
            val resources = configuration.open()
            try {
                val binding = DatagramBinding.bind(resources, configuration.options, InetSocketAddress(host, port))
                return RdmaDatagramSocket(binding) { configuration.release(resources) }
            } catch (e: Throwable) {
                configuration.release(resources)
                throw e
            }
        }
    }
}
