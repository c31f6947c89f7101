package io.rdma.verbs;

import io.rdma.internal.ibv.Cma;
import io.rdma.internal.ibv.ConnParam;

/**
 * The parameters that one side requests for a connection, {@code struct rdma_conn_param} of {@code rdma_connect(3)} and
 * {@code rdma_accept(3)}. The names are those of C. Immutable.
 *
 * @param privateData data for the peer, copied: up to 56 bytes when connecting, 196 when accepting (datagrams: 180
 *     and 136)
 * @param responderResources number of incoming reads and atomics that this side offers, or {@link #MAX}
 * @param initiatorDepth number of outgoing reads and atomics that this side wants, or {@link #MAX}
 * @param retryCount retries after a timeout, 0 to 7; ignored when accepting
 * @param rnrRetryCount retries of the peer while no receive is posted on this side, 0 to 6; 7 is without limit
 * @param sharedReceiveQueue for a queue pair that the identifier does not own: whether it takes receives from a shared
 *     receive queue
 * @param queuePairNumber for a queue pair that the identifier does not own: its number
 * @param minRnrTimer RNR timer of the identifier's queue pair: code of the pause before a sender that found no posted
 *     receive retries, 1 to 31. With 0 the queue pair keeps the connection manager's value 0, which is 655 ms
 */
@SuppressWarnings("ArrayRecordComponent")
public record ConnectionParameters(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        boolean sharedReceiveQueue,
        int queuePairNumber,
        int minRnrTimer) {
    /**
     * The largest possible number of reads and atomics. When connecting, this is what the device supports. When
     * accepting, it is the smaller of that and what the peer requested.
     */
    public static final int MAX = Cma.MAX_RESP_RES;

    /**
     * The default: no private data, {@link #MAX} reads and atomics, 7 for both retry counts, an RNR pause of 1.28 ms.
     */
    public static final ConnectionParameters DEFAULT =
            new ConnectionParameters(new byte[0], MAX, MAX, 7, 7, false, 0, 14);

    /** Checks the ranges. */
    public ConnectionParameters {
        range("length of the private data", privateData.length, 0, 255);
        range("responderResources", responderResources, 0, MAX);
        range("initiatorDepth", initiatorDepth, 0, MAX);
        range("retryCount", retryCount, 0, 7);
        range("rnrRetryCount", rnrRetryCount, 0, 7);
        range("queuePairNumber", queuePairNumber, 0, 0xffffff);
        range("minRnrTimer", minRnrTimer, 0, 31);
        privateData = privateData.clone();
    }

    private static void range(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(name + " must be from " + low + " to " + high + ": " + value);
        }
    }

    static ConnectionParameters of(ConnParam c) {
        return new ConnectionParameters(
                c.privateData(),
                c.responderResources(),
                c.initiatorDepth(),
                c.retryCount() & 7,
                c.rnrRetryCount() & 7,
                c.srq(),
                c.qpNum() & 0xffffff,
                0);
    }

    ConnParam toParam() {
        return new ConnParam(
                privateData,
                responderResources,
                initiatorDepth,
                0,
                retryCount,
                rnrRetryCount,
                sharedReceiveQueue,
                queuePairNumber);
    }

    /** {@return the private data, a copy} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * Returns a copy with other private data.
     *
     * @param data copied
     * @return a copy
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        return new ConnectionParameters(
                data,
                responderResources,
                initiatorDepth,
                retryCount,
                rnrRetryCount,
                sharedReceiveQueue,
                queuePairNumber,
                minRnrTimer);
    }

    /**
     * Returns a copy with other numbers of reads and atomics.
     *
     * @param incoming see {@code responderResources}
     * @param outgoing see {@code initiatorDepth}
     * @return a copy
     */
    public ConnectionParameters withReadsAndAtomics(int incoming, int outgoing) {
        return new ConnectionParameters(
                privateData,
                incoming,
                outgoing,
                retryCount,
                rnrRetryCount,
                sharedReceiveQueue,
                queuePairNumber,
                minRnrTimer);
    }

    /**
     * Returns a copy with other retry counts.
     *
     * @param afterTimeout see {@code retryCount}
     * @param notReady see {@code rnrRetryCount}
     * @return a copy
     */
    public ConnectionParameters withRetries(int afterTimeout, int notReady) {
        return new ConnectionParameters(
                privateData,
                responderResources,
                initiatorDepth,
                afterTimeout,
                notReady,
                sharedReceiveQueue,
                queuePairNumber,
                minRnrTimer);
    }

    /**
     * Returns a copy with another RNR timer.
     *
     * @param code see {@code minRnrTimer}
     * @return a copy
     */
    public ConnectionParameters withMinRnrTimer(int code) {
        return new ConnectionParameters(
                privateData,
                responderResources,
                initiatorDepth,
                retryCount,
                rnrRetryCount,
                sharedReceiveQueue,
                queuePairNumber,
                code);
    }

    /**
     * Returns a copy for a queue pair that the identifier does not own.
     *
     * @param number number of the queue pair
     * @param shared whether it takes receives from a shared receive queue
     * @return a copy
     */
    public ConnectionParameters withQueuePair(int number, boolean shared) {
        return new ConnectionParameters(
                privateData,
                responderResources,
                initiatorDepth,
                retryCount,
                rnrRetryCount,
                shared,
                number,
                minRnrTimer);
    }
}
