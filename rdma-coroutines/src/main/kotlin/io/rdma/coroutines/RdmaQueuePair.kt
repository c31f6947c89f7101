package io.rdma.coroutines

import io.rdma.types.QueuePairCapacity

/** Depths and sizes of a queue pair; the receiver of [RdmaConfiguration.queuePair]. */
@RdmaDsl
public class RdmaQueuePair internal constructor(
    internal var capacity: QueuePairCapacity,
) {
    /** Depth of the send queue, in work requests. */
    public var maxSendWr: Int
        get() = capacity.maxSendWr()
        set(value) {
            capacity = capacity.withMaxSendWr(value)
        }

    /** Depth of the receive queue, in work requests; raised to the number of receive buffers. */
    public var maxReceiveWr: Int
        get() = capacity.maxReceiveWr()
        set(value) {
            capacity = capacity.withMaxReceiveWr(value)
        }

    /** Scatter/gather entries per send. */
    public var maxSendSge: Int
        get() = capacity.maxSendSge()
        set(value) {
            capacity = capacity.withMaxSendSge(value)
        }

    /** Scatter/gather entries per receive. */
    public var maxReceiveSge: Int
        get() = capacity.maxReceiveSge()
        set(value) {
            capacity = capacity.withMaxReceiveSge(value)
        }

    /** Size of the largest message that is sent inline, in bytes; 0 for none. */
    public var maxInlineData: Int
        get() = capacity.maxInlineData()
        set(value) {
            capacity = capacity.withMaxInlineData(value)
        }
}
