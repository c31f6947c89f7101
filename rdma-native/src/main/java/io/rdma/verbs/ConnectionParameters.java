package io.rdma.verbs;

import io.rdma.internal.ffi.Cma;
import io.rdma.internal.ffi.ConnParam;

/**
 * What a side wants of a connection, {@code struct rdma_conn_param} of {@code rdma_connect(3)} and
 * {@code rdma_accept(3)}; immutable. Names are C's.
 *
 * @param privateData for the peer: up to 56 bytes when connecting, 196 when accepting (datagrams: 180 and 136); copied
 * @param responderResources incoming reads and atomics that are offered, or {@link #MAX}
 * @param initiatorDepth outgoing reads and atomics that are wanted, or {@link #MAX}
 * @param retryCount retries after a time-out, 0 to 7; does not count when accepting
 * @param rnrRetryCount the peer's retries while no receive is posted here, 0 to 6; 7 is without end
 * @param sharedReceiveQueue whether a queue pair that the identifier does not have takes its receives from a shared
 *     queue
 * @param queuePairNumber of a queue pair that the identifier does not have
 * @param minRnrTimer code of the pause before a sender that found no receive here tries again, 1 to 31, of the
 *     identifier's queue pair: the manager leaves 0, 655 ms
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
     * As reads and atomics: when connecting what the device has, when accepting the smaller of that and what the peer
     * asked for.
     */
    public static final int MAX = Cma.MAX_RESP_RES;

    /** No private data, {@link #MAX} reads and atomics, 7 retries of either kind, an RNR pause of 1.28 ms. */
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

    /** {@return a copy} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * With private data.
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
     * With other numbers of reads and atomics.
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
     * With other retries.
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
     * With another pause.
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
     * For a queue pair that the identifier does not have.
     *
     * @param number of the queue pair
     * @param shared whether it takes its receives from a shared queue
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
