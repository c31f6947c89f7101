package io.rdma.verbs;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.types.AccessFlag;
import io.rdma.types.Mtu;
import io.rdma.types.PathMigrationState;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Current attributes of a queue pair, {@code ibv_query_qp(3)}. Attributes that were not set yet are undefined. Names
 * are those of C.
 *
 * @param qpState state
 * @param pathMtu path MTU of the connection
 * @param rqPsn next packet sequence number expected from the peer, or the first one: devices differ
 * @param sqPsn next packet sequence number to be sent, or the first one: devices differ
 * @param destQpNum number of the peer's queue pair
 * @param qpAccessFlags operations that the peer may perform
 * @param capacity as granted; devices may count the receives of a shared receive queue
 * @param pkeyIndex index of the partition
 * @param sqDraining in SQD: whether a request that the device has started is still outstanding
 * @param maxRdAtomic outstanding reads and atomics as initiator
 * @param maxDestRdAtomic outstanding reads and atomics as responder
 * @param minRnrTimer code of the RNR timer that this side announces
 * @param portNum port
 * @param timeout acknowledge time-out, exponent
 * @param retryCnt retries after a time-out
 * @param rnrRetry retries while the peer has no receive posted; 7 is infinite
 * @param sqSigAll whether every send generates a completion
 * @param path path to the peer; null before it is set, and without a connection
 * @param pathMigState state of path migration
 * @param alternatePath alternate path; null if none is set
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
        boolean sqSigAll,
        @Nullable AddressHandleAttributes path,
        PathMigrationState pathMigState,
        @Nullable AlternatePath alternatePath) {

    /**
     * Combines the results of a query.
     *
     * @param granted capacity at creation: with a shared receive queue the device reports 0 receives
     */
    static QueuePairInfo of(QpAttr a, QpInitAttr init, QueuePairCapacity granted) {
        QpCap cap = init.cap();
        return new QueuePairInfo(
                QueuePairState.of(a.qpState()),
                a.pathMtu() == 0 ? Mtu.BYTES_256 : Mtu.of(a.pathMtu()), // rdma_rxe reports 0 until it is set
                a.rqPsn(),
                a.sqPsn(),
                a.destQpNum(),
                AccessFlag.setOf(a.qpAccessFlags()),
                cap.maxRecvWr() == 0 || cap.maxRecvSge() == 0 ? granted : Structures.capacity(cap),
                a.pkeyIndex(),
                a.sqDraining(),
                a.maxRdAtomic(),
                a.maxDestRdAtomic(),
                a.minRnrTimer(),
                a.portNum(),
                a.timeout(),
                a.retryCnt(),
                a.rnrRetry(),
                init.sqSigAll(),
                path(a),
                PathMigrationState.of(a.pathMigState()),
                AlternatePath.of(a.altPath()));
    }

    /** Returns the path, which is undefined before RTR, and has port 0 if there is no connection. */
    private static @Nullable AddressHandleAttributes path(QpAttr a) {
        AhAttr path = a.ahAttr();
        boolean undefined = a.qpState() == Ibv.QPS_RESET || a.qpState() == Ibv.QPS_INIT;
        return undefined || path == null || path.portNum() == 0 ? null : AddressHandleAttributes.of(path);
    }
}
