package io.rdma.coroutines

import io.rdma.internal.connect.RdmaListener
import io.rdma.internal.connect.UsedResources
import io.rdma.internal.connect.XrcConnections
import io.rdma.internal.os.StackRoom
import java.net.InetSocketAddress
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

/**
 * A server that connects [RdmaXrcSender]s to all [RdmaXrcReceiver]s of a domain, those of other processes included. It
 * makes a receiving queue pair for each sender, and delivers no messages itself. See docs/guide/xrc.md.
 */
public class RdmaXrcServer private constructor(
    private val used: UsedResources,
    private val listener: RdmaListener,
) : AutoCloseable {
    private val closing = AtomicBoolean()
    private val closed = CompletableFuture<Void>()

    /** Address on which the server listens, with the actual port if 0 was requested. */
    public val address: InetSocketAddress get() = listener.address()

    /** Port of [address]. */
    public val port: Int get() = address.port

    /** Stops listening and ends all senders. Does not wait. The receivers stay. */
    override fun close() {
        StackRoom.require(StackRoom.CLOSE)
        if (closing.compareAndSet(false, true)) {
            try {
                listener.close()
            } finally {
                used.releaseBehind(listener, closed)
            }
        }
    }

    /** Closes the server, and suspends until its senders have ended and its port can be bound again. */
    public suspend fun closeAndAwait() {
        close()
        closed.awaitShared()
    }

    /** Factory of servers. */
    public companion object {
        /**
         * Listens on [host] at [port], the TCP port of the exchange; 0 chooses a free port. [domain] is as for
         * [RdmaXrcReceiver.bind]. The size of the receive buffers, which senders are told as the length of the longest
         * message, is that of the receivers in the domain; if they differ, of the smallest. Cancellation closes the
         * server that is being made.
         *
         * @throws io.rdma.connect.RdmaConnectException BIND if the port is in use or the file does not exist, DEVICE if
         *     the device has no extended reliable connections
         * @throws IllegalArgumentException if [configure] asks for RDMA CM, an unreliable connection, credits
         *     (`CREDITS_REQUIRED`) or an alternate path
         * @throws io.rdma.types.VerbsException if the device cannot be used
         */
        public suspend fun bind(
            host: String,
            port: Int,
            domain: Path? = null,
            configure: RdmaConfiguration.() -> Unit = {},
        ): RdmaXrcServer {
            val configuration = RdmaConfiguration().apply(configure)
            return blocking(RdmaXrcServer::close) {
                val used = configuration.openForDatagrams()
                used.make {
                    val address = InetSocketAddress(host, port)
                    RdmaXrcServer(
                        used,
                        XrcConnections.listen(it, configuration.options, configuration.limits, address, domain),
                    )
                }
            }
        }
    }
}
