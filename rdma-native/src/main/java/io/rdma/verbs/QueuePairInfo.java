package io.rdma.verbs;

import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.ffi.QpCap;
import io.rdma.internal.ffi.QpInitAttr;
import java.util.Set;

/**
 * What a queue pair is like now, {@code ibv_query_qp(3)}; what was not set yet is undefined. Names are C's.
 *
 * @param qpState state
 * @param pathMtu of the connection
 * @param rqPsn next packet sequence number from the peer, or the first one: devices differ
 * @param sqPsn next own packet sequence number, or the first one
 * @param destQpNum the peer's queue pair
 * @param qpAccessFlags what the peer may do
 * @param capacity as granted; devices may count the receives of a shared queue
 * @param pkeyIndex partition
 * @param sqDraining in SQD: whether a request that was begun has not ended
 * @param maxRdAtomic outgoing reads and atomics at once
 * @param maxDestRdAtomic incoming reads and atomics at once
 * @param minRnrTimer code of the RNR timer that this side announces
 * @param portNum port
 * @param timeout acknowledge time-out, exponent
 * @param retryCnt retries after a time-out
 * @param rnrRetry retries while the peer has no receive, 7 is without end
 * @param sqSigAll whether every send makes a completion
 */
public record QueuePairInfo(
        QueuePairState qpState,
        Mtu pathMtu,
        int rqPsn,
        int sqPsn,
        int destQpNum,
        Set<AccessFlag> qpAccessFlags,
        QueuePairCapacity capacity,
        int pkeyIndex,
        boolean sqDraining,
        int maxRdAtomic,
        int maxDestRdAtomic,
        int minRnrTimer,
        int portNum,
        int timeout,
        int retryCnt,
        int rnrRetry,
        boolean sqSigAll) {

    /** @param granted at the creation: with a shared receive queue the device says 0 receives */
    static QueuePairInfo of(QpAttr a, QpInitAttr init, QueuePairCapacity granted) {
        QpCap cap = init.cap();
        return new QueuePairInfo(
                QueuePairState.of(a.qpState()),
                a.pathMtu() == 0 ? Mtu.BYTES_256 : Mtu.of(a.pathMtu()), // rdma_rxe has 0 until it is set
                a.rqPsn(),
                a.sqPsn(),
                a.destQpNum(),
                AccessFlag.setOf(a.qpAccessFlags()),
                cap.maxRecvWr() == 0 || cap.maxRecvSge() == 0 ? granted : QueuePairCapacity.of(cap),
                a.pkeyIndex(),
                a.sqDraining(),
                a.maxRdAtomic(),
                a.maxDestRdAtomic(),
                a.minRnrTimer(),
                a.portNum(),
                a.timeout(),
                a.retryCnt(),
                a.rnrRetry(),
                init.sqSigAll());
    }
}
