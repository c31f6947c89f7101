package io.rdma.internal.ffi;

/**
 * {@code struct rdma_conn_param}, {@code rdma_connect(3)}. The array is not copied: treat it as immutable.
 *
 * @param privateData for the peer; what arrives may be longer than what was sent, padded with zeros
 * @param responderResources incoming reads and atomics, 8 bits
 * @param initiatorDepth outgoing reads and atomics, 8 bits
 * @param flowControl not zero if the hardware has it
 * @param retryCount 3 bits; ignored when accepting
 * @param rnrRetryCount 3 bits, 7 is infinite
 * @param srq whether the queue pair has a shared receive queue; ignored if the identifier has the queue pair
 * @param qpNum of a queue pair that the identifier does not have
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
