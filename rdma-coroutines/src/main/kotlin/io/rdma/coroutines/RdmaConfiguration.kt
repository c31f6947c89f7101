package io.rdma.coroutines

import io.rdma.connect.AdmissionLimits
import io.rdma.connect.ConnectionOptions
import io.rdma.engine.RdmaResources
import io.rdma.verbs.QueuePairCapacity
import io.rdma.verbs.RdmaDevices
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/** How [RdmaClient] and [RdmaServer] connect; the receiver of their configuration blocks. */
public class RdmaConfiguration internal constructor() {
    /** Name of the device, such as `mlx5_0` or `soft0`; null for the default one. */
    public var device: String? = null

    /** Resources of the caller, shared among connections and closed by the caller; null to open and close own ones. */
    public var resources: RdmaResources? = null

    /** All options. */
    public var options: ConnectionOptions = ConnectionOptions.DEFAULT

    /** How long making a connection may take, part of [options]. */
    public var handshakeTimeout: Duration
        get() = options.handshakeTimeout().toKotlinDuration()
        set(value) {
            options = options.withHandshakeTimeout(value.toJavaDuration())
        }

    /** How long a connection is quiet before it probes its peer, part of [options]; zero for never. */
    public var probeInterval: Duration
        get() = options.probeInterval().toKotlinDuration()
        set(value) {
            options = options.withProbeInterval(value.toJavaDuration())
        }

    /**
     * How long a close waits for its farewell to arrive, and then for the device to give back what is in flight, part
     * of [options].
     */
    public var drainTimeout: Duration
        get() = options.drainTimeout().toKotlinDuration()
        set(value) {
            options = options.withDrainTimeout(value.toJavaDuration())
        }

    /** What a server admits; of no meaning for a client. */
    public var limits: AdmissionLimits = AdmissionLimits.DEFAULT

    /** Changes the depths of the queue pair. */
    public fun queuePair(change: QueuePairCapacity.() -> QueuePairCapacity) {
        options = options.withQueuePair(options.queuePair().change())
    }

    /**
     * [count] receive buffers of [size] bytes, posted ahead; larger messages, up to `options.maxMessageSize`, are read
     * from the peer.
     */
    public fun receiveBuffers(
        count: Int,
        size: Int,
    ) {
        options = options.withReceiveBuffers(count, size)
    }

    /** [count] send buffers of [size] bytes. */
    public fun sendBuffers(
        count: Int,
        size: Int,
    ) {
        options = options.withSendBuffers(count, size)
    }

    internal fun open(): RdmaResources =
        resources ?: RdmaResources(device?.let(RdmaDevices::named) ?: RdmaDevices.defaultDevice())

    /** Closes what [open] opened; blocks. */
    internal fun release(opened: RdmaResources) {
        if (opened !== resources) opened.close()
    }
}
