package io.rdma.internal.ibv;

/**
 * {@code struct rdma_conn_param}, {@code rdma_connect(3)}. The array is not copied: treat it as immutable.
 *
 * @param privateData data for the peer; received data may be longer than the data sent, padded with zeros
 * @param responderResources incoming reads and atomics, 8 bits
 * @param initiatorDepth outgoing reads and atomics, 8 bits
 * @param flowControl not zero if the hardware has flow control
 * @param retryCount 3 bits; ignored when accepting
 * @param rnrRetryCount 3 bits, 7 is infinite
 * @param srq whether the queue pair has a shared receive queue; ignored if the queue pair belongs to the identifier
 * @param qpNum number of a queue pair that does not belong to the identifier
 */
@SuppressWarnings("ArrayRecordComponent")
public record ConnParam(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int flowControl,
        int retryCount,
        int rnrRetryCount,
        boolean srq,
        int qpNum) {}
