package io.rdma.coroutines

import io.rdma.buffer.ReceivedDatagram
import io.rdma.buffer.RegisteredBuffer
import io.rdma.engine.ConnectionClosedException
import io.rdma.engine.RdmaEndpoint
import io.rdma.internal.connect.DatagramBinding
import io.rdma.internal.engine.DatagramEndpoint
import io.rdma.internal.engine.Submitter
import io.rdma.internal.engine.WireLog
import io.rdma.internal.engine.WorkRequest
import io.rdma.verbs.DatagramAddress
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import java.lang.foreign.MemorySegment
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.CompletableFuture

/**
 * A socket for unreliable datagrams (UD), which exchanges them with any peer. Each datagram is one packet, which may be
 * lost without notice to either side. See docs/guide/datagrams.md.
 *
 * Every suspending operation, unless stated otherwise:
 * - **errors**: [io.rdma.engine.DatagramTooLongException] for a message that does not fit into a packet, and
 *   [io.rdma.types.VerbsException] for a destination to which no path leads; other operations are not affected.
 *   [io.rdma.types.WorkCompletionException] for a request that the device failed. The endpoint is then lost, and all
 *   other operations end with [ConnectionClosedException], whose cause is that first failure. Misuse (closed buffer)
 *   throws [IllegalStateException].
 * - **cancellation** is prompt. A request that is not yet posted is never posted. After the post the datagram is sent,
 *   but its completion is ignored.
 * - **buffers** are borrowed from the post until the device reports completion, even if the coroutine is cancelled.
 * - **threads**: the coroutine resumes through its dispatcher.
 */
public class RdmaDatagramSocket private constructor(
    private val binding: DatagramBinding,
    wiretap: String?,
    release: () -> Unit,
) : AutoCloseable {
    /** The engine below this socket, for monitoring and tuning. */
    public val endpoint: RdmaEndpoint get() = engine.endpoint()

    internal val engine: DatagramEndpoint = binding.endpoint()
    private val log: WireLog? = wiretap?.let { WireLog(it, this) }
    private val submitter: Submitter = log.tapped(engine)
    private val inbound = Inbound<ReceivedDatagram>(engine.endpoint(), "the datagram endpoint is closed")
    private val released: CompletableFuture<Void> =
        binding.closed().thenRunAsync({ release() }, Thread::startVirtualThread)

    init {
        log?.begin("BOUND", engine.endpoint())
    }

    /**
     * Sends a datagram of [length] bytes, at most [maxMessageSize], that [writer] writes into a registered buffer.
     * Suspends while all send buffers are in use, and until the device has sent the datagram. The return does not mean
     * that it arrived at [destination].
     */
    public suspend fun send(
        length: Int,
        writer: (MemorySegment) -> Unit,
        destination: DatagramAddress,
    ) {
        if (length !in 0..maxMessageSize) throw engine.tooLong(length)
        acquire().use { buffer ->
            writer(buffer.segment().asSlice(0, length.toLong()))
            submitter.await(WorkRequest.sendTo(buffer.limit(length), destination, false))
        }
    }

    /**
     * Sends the first `limit` bytes of [message]. Returns when the device has sent them. The caller still owns
     * [message] and closes it.
     */
    public suspend fun send(
        message: RegisteredBuffer,
        destination: DatagramAddress,
    ) {
        submitter.await(WorkRequest.sendTo(message, destination, false))
    }

    /** Sends [message] like [send], with four bytes of immediate data. */
    public suspend fun sendWithImmediate(
        message: RegisteredBuffer,
        immediate: Int,
        destination: DatagramAddress,
    ) {
        submitter.await(WorkRequest.sendToWithImmediate(message, immediate, destination))
    }

    /**
     * Acquires a buffer of the endpoint's pool, for a datagram. Suspends while the pool is empty. The caller closes it.
     */
    public suspend fun acquire(): RegisteredBuffer = engine.endpoint().sendBuffers().await()

    /**
     * Receives one datagram. [decoder] reads it in its receive buffer, which is posted again when [decoder] returns.
     * The content is untrusted: any host may have sent it.
     *
     * @throws ConnectionClosedException when the endpoint has ended, with a cause if it was lost
     * @throws IllegalStateException if another coroutine is receiving
     */
    public suspend fun <T> receive(decoder: (ReceivedDatagram) -> T): T = inbound.receive(log.tapped(decoder))

    /**
     * Returns the datagrams, each of which is lent to the code that reads it, one at a time. Each receive buffer is
     * posted again when that code returns. A datagram that arrives while no receive buffer is posted, because the
     * collector is slow or there is none, is lost. The datagrams end after a close; [ConnectionClosedException] is
     * thrown when the endpoint is lost. A malformed datagram does neither: the device or the engine drops it. There may
     * be one collector at a time. Datagrams that it did not collect wait for the next collector.
     */
    public fun incoming(): InboundMessages<ReceivedDatagram> = InboundMessages(log.tapped(inbound.incoming()))

    /**
     * Returns a flow like [incoming], but the collector owns each datagram and closes it, including the one that
     * `first()` returns. If the collector's block throws or is cancelled, the flow closes the datagram.
     */
    public fun receiveOwned(): Flow<ReceivedDatagram> = log.tapped(inbound.owned())

    /**
     * Resolves the address of the socket that is bound to [port] of [host]. Cancellation aborts the resolution.
     *
     * @throws io.rdma.connect.RdmaConnectException REJECTED if no socket is bound to it, UNREACHABLE or TIMEOUT if the
     *     host does not answer, ADDR_ERROR or ROUTE_ERROR if this device has no path to it
     */
    public suspend fun resolve(
        host: String,
        port: Int,
    ): DatagramAddress = binding.resolve(InetSocketAddress.createUnresolved(host, port)).await()

    /**
     * Joins a multicast [group]. Returns the group's address when datagrams that are sent to it from then on arrive
     * here too. Joining a group again has no effect. Cancellation stops only the waiting: [leave] undoes the join.
     *
     * @throws io.rdma.connect.RdmaConnectException if the group could not be joined
     */
    public suspend fun join(group: InetAddress): DatagramAddress = binding.join(group).await()

    /**
     * Leaves a [group]. Returns when no more datagrams arrive from it. A close leaves all groups. Cancellation stops
     * only the waiting.
     *
     * @throws IllegalStateException if the group was not joined
     * @throws io.rdma.types.VerbsException if the device refused; the group is joined as before
     */
    public suspend fun leave(group: InetAddress) {
        binding.leave(group).await()
    }

    /** Length of the longest datagram in bytes: the MTU of the port. */
    public val maxMessageSize: Int get() = engine.maxMessageSize()

    /** Address that a peer passes to [resolve], with the actual port if 0 was requested. */
    public val localAddress: InetSocketAddress get() = binding.address()

    /** Whether the socket has begun to close or is closed. */
    public val isClosed: Boolean get() = engine.endpoint().isClosing

    /**
     * Closes the socket and does not wait. Operations that have not completed fail, datagrams that were not received
     * are dropped, and all groups are left.
     */
    override fun close() {
        if (engine.endpoint().handsOver(::close)) return
        try {
            binding.close()
        } finally {
            inbound.close()
        }
    }

    /** Closes the socket, and suspends until its resources are released. */
    public suspend fun closeAndAwait() {
        close()
        awaitClosed()
    }

    /** Suspends until the socket is closed, for any reason, and its resources are released. */
    public suspend fun awaitClosed() {
        released.awaitShared()
    }

    /** Returns the local address, for messages and logs. */
    override fun toString(): String = "RdmaDatagramSocket[$localAddress]"

    /** Factory of sockets. */
    public companion object {
        /**
         * Binds a socket to [port] of RDMA CM's UDP port space at [host]; 0 chooses a free port. [host] is an address
         * of the device, not the wildcard. Of the options these apply: the depths, the numbers of buffers,
         * `signalEvery`, `handshakeTimeout` (for resolving and joining) and `drainTimeout`. Suspends for some
         * milliseconds while the device is opened. Cancellation closes the socket that is being made.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use, or if no RDMA device has the address
         * @throws io.rdma.types.RdmaException if the device cannot be used, or there is no connection manager
         */
        public suspend fun bind(
            host: String,
            port: Int,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaDatagramSocket {
            val configuration = RdmaConfiguration().apply(configure)
            return blocking(RdmaDatagramSocket::close) {
                val used = configuration.openForDatagrams()
                used.make {
                    val binding = DatagramBinding.bind(it, configuration.options, InetSocketAddress(host, port))
                    RdmaDatagramSocket(binding, configuration.wiretap, used::release)
                }
            }
        }
    }
}
