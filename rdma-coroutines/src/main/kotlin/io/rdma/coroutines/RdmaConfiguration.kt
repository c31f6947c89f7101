package io.rdma.coroutines

import io.rdma.connect.AdmissionLimits
import io.rdma.connect.ConnectMethod
import io.rdma.connect.ConnectionOptions
import io.rdma.connect.RdmaResources
import io.rdma.internal.connect.UsedResources
import io.rdma.types.QueuePairCapacity
import javax.net.ssl.SSLContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/**
 * Settings of [RdmaClient], [RdmaServer] and [RdmaDatagramSocket]; the receiver of their configuration blocks. A value
 * out of its range throws [IllegalArgumentException] where it is set; the message names the setting and the range.
 *
 * @sample io.rdma.coroutines.samples.configuration
 */
@RdmaDsl
public class RdmaConfiguration internal constructor() {
    /** Name of the device, such as `mlx5_0` or `soft0`; null for the default one. */
    public var device: String? = null

    /**
     * Resources of the caller, shared by several connections and closed by the caller; null for those that the process
     * shares, see [RdmaResources.shared].
     */
    public var resources: RdmaResources? = null

    /** All options of a connection. Several members of this class change parts of them. */
    public var options: ConnectionOptions = ConnectionOptions.DEFAULT

    /** Time limit for making a connection; part of [options]. */
    public var handshakeTimeout: Duration
        get() = options.handshakeTimeout().toKotlinDuration()
        set(value) {
            options = options.withHandshakeTimeout(value.toJavaDuration())
        }

    /** Time without traffic after which a connection probes its peer; part of [options]. Zero for no probes. */
    public var probeInterval: Duration
        get() = options.probeInterval().toKotlinDuration()
        set(value) {
            options = options.withProbeInterval(value.toJavaDuration())
        }

    /**
     * Time limit of a close, once for its farewell to arrive and then again for the device to return the requests in
     * flight; part of [options].
     */
    public var drainTimeout: Duration
        get() = options.drainTimeout().toKotlinDuration()
        set(value) {
            options = options.withDrainTimeout(value.toJavaDuration())
        }

    /**
     * Length of the longest message that this side receives, in bytes, at least the size of its receive buffers; part
     * of [options].
     */
    public var maxMessageSize: Int
        get() = options.maxMessageSize()
        set(value) {
            options = options.withMaxMessageSize(value)
        }

    /** How a connection is made; part of [options]. */
    public var connectMethod: ConnectMethod
        get() = options.connectMethod()
        set(value) {
            options = options.withConnectMethod(value)
        }

    /** TLS of the exchange over TCP, null for none; part of [options]. */
    public var tls: SSLContext?
        get() = options.tls()
        set(value) {
            options = options.withTls(value)
        }

    /**
     * Name of the [System.Logger] that logs, at level `DEBUG`, the events of each connection or socket, its operations,
     * and the first 256 bytes of each message; null for no log. The log contains the data of the application.
     */
    public var wiretap: String? = null

    /** Limits of the connections that a server admits; a client ignores them. */
    public var limits: AdmissionLimits = AdmissionLimits.DEFAULT

    /** Changes the queue depths of the queue pair. */
    public fun queuePair(change: QueuePairCapacity.() -> QueuePairCapacity) {
        options = options.withQueuePair(options.queuePair().change())
    }

    /**
     * Configures [count] receive buffers of [size] bytes, which are posted in advance. Larger messages, up to
     * `options.maxMessageSize`, are read from the peer's memory.
     */
    public fun receiveBuffers(
        count: Int,
        size: Int,
    ) {
        options = options.withReceiveBuffers(count, size)
    }

    /** Configures [count] send buffers of [size] bytes. */
    public fun sendBuffers(
        count: Int,
        size: Int,
    ) {
        options = options.withSendBuffers(count, size)
    }

    internal fun open(): UsedResources = UsedResources.of(resources, device)

    internal fun openForDatagrams(): UsedResources = UsedResources.ofDatagrams(resources, device)
}
