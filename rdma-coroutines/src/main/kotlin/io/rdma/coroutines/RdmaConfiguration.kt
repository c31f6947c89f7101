package io.rdma.coroutines

import io.rdma.connect.AdmissionLimits
import io.rdma.connect.ConnectMethod
import io.rdma.connect.ConnectionOptions
import io.rdma.connect.FlowControl
import io.rdma.connect.RdmaResources
import io.rdma.internal.connect.UsedResources
import io.rdma.verbs.QueuePairType
import javax.net.ssl.SSLContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/**
 * Settings of clients, servers, sockets, senders and receivers; the receiver of their configuration blocks. A value
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

    /** All options of a connection. Other members of this class change parts of them. */
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

    /**
     * Type of the queue pairs, the same on both sides: `RC` for a reliable connection, `UC` for an unreliable one,
     * whose messages may be lost; part of [options].
     */
    public var queuePairType: QueuePairType
        get() = options.queuePairType()
        set(value) {
            options = options.withQueuePairType(value)
        }

    /** TLS of the exchange over TCP, null for none; part of [options]. */
    public var tls: SSLContext?
        get() = options.tls()
        set(value) {
            options = options.withTls(value)
        }

    /** A completion at least every so many sends; part of [options]. */
    public var signalEvery: Int
        get() = options.signalEvery()
        set(value) {
            options = options.withSignalEvery(value)
        }

    /** Reads and atomics in flight, from 1 to 255; part of [options]. */
    public var maxRdAtomic: Int
        get() = options.maxRdAtomic()
        set(value) {
            options = options.withMaxRdAtomic(value)
        }

    /** Code of the acknowledge time-out, from 1 to 31: 4.096 us times 2 to the power of it; part of [options]. */
    public var timeout: Int
        get() = options.timeout()
        set(value) {
            options = options.withTimeout(value)
        }

    /** Retries after a time-out, from 0 to 7; part of [options]. */
    public var retryCnt: Int
        get() = options.retryCnt()
        set(value) {
            options = options.withRetryCnt(value)
        }

    /** Retries while the peer has no receive posted, from 0 to 6; 7 is without end; part of [options]. */
    public var rnrRetry: Int
        get() = options.rnrRetry()
        set(value) {
            options = options.withRnrRetry(value)
        }

    /** Code of the pause before such a retry, from 1 to 31; part of [options]. */
    public var minRnrTimer: Int
        get() = options.minRnrTimer()
        set(value) {
            options = options.withMinRnrTimer(value)
        }

    /** Mechanism that keeps a fast sender from overrunning a slow receiver; part of [options]. */
    public var flowControl: FlowControl
        get() = options.flowControl()
        set(value) {
            options = options.withFlowControl(value)
        }

    /**
     * Whether a client with [tls] requires the server's certificate to be for the name that it connects to; part of
     * [options].
     */
    public var verifyServerName: Boolean
        get() = options.verifyServerName()
        set(value) {
            options = options.withVerifyServerName(value)
        }

    /** Whether the GID that a peer names must be an address of the host that it connects from; part of [options]. */
    public var verifyPeerGid: Boolean
        get() = options.verifyPeerGid()
        set(value) {
            options = options.withVerifyPeerGid(value)
        }

    /** Whether each connection has a protection domain of its own; part of [options]. */
    public var ownProtectionDomain: Boolean
        get() = options.ownProtectionDomain()
        set(value) {
            options = options.withOwnProtectionDomain(value)
        }

    /** Whether a disconnect without a farewell counts as an orderly end; part of [options]. */
    public var orderlyDisconnect: Boolean
        get() = options.orderlyDisconnect()
        set(value) {
            options = options.withOrderlyDisconnect(value)
        }

    /**
     * Name of the [System.Logger] that logs, at level `DEBUG`, the events of each connection or socket, its operations,
     * and the first 256 bytes of each message, but not what a byte stream sends; null for no log. The log contains the
     * data of the application. An [RdmaXrcServer] carries no messages, and logs nothing.
     */
    public var wiretap: String? = null

    /** Limits of the connections that a server admits; a client ignores them. */
    public var limits: AdmissionLimits = AdmissionLimits.DEFAULT

    /** Changes [limits]. */
    public fun limits(change: RdmaLimits.() -> Unit) {
        limits = RdmaLimits(limits).apply(change).limits
    }

    /** Changes the depths and sizes of the queue pair; part of [options]. */
    public fun queuePair(change: RdmaQueuePair.() -> Unit) {
        options = options.withQueuePair(RdmaQueuePair(options.queuePair()).apply(change).capacity)
    }

    /** Changes service level, traffic class, port, partition and GID of what this side sends; part of [options]. */
    public fun path(change: RdmaPath.() -> Unit) {
        options = options.withPath(RdmaPath(options.path()).apply(change).options)
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
