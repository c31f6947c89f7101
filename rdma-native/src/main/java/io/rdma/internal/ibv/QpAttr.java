package io.rdma.internal.ibv;

import org.jspecify.annotations.Nullable;

/**
 * {@code struct ibv_qp_attr}, {@code ibv_modify_qp(3)}.
 *
 * @param qpState {@code IBV_QPS_*}
 * @param curQpState {@code IBV_QPS_*}
 * @param pathMtu {@code IBV_MTU_*}
 * @param pathMigState {@code IBV_MIG_*}
 * @param qkey datagrams only
 * @param rqPsn 24 bits
 * @param sqPsn 24 bits
 * @param destQpNum 24 bits
 * @param qpAccessFlags {@code IBV_ACCESS_*}
 * @param cap granted capacity
 * @param ahAttr path to the peer; null when not in the mask
 * @param pkeyIndex index of the partition
 * @param enSqdAsyncNotify whether the device reports an event once the send queue has drained
 * @param sqDraining set by a query: whether the send queue is draining
 * @param maxRdAtomic outgoing reads and atomics
 * @param maxDestRdAtomic incoming reads and atomics
 * @param minRnrTimer 5 bits: the RNR timer code that this side announces
 * @param portNum from 1
 * @param timeout 5 bits: 4.096 us times 2 to the power of this value; 0 is infinite
 * @param retryCnt 3 bits
 * @param rnrRetry 3 bits, 7 is infinite
 * @param altPath alternate path; null when not in the mask
 */
public record QpAttr(
        int qpState,
        int curQpState,
        int pathMtu,
        int pathMigState,
        int qkey,
        int rqPsn,
        int sqPsn,
        int destQpNum,
        int qpAccessFlags,
        QpCap cap,
        @Nullable AhAttr ahAttr,
        int pkeyIndex,
        boolean enSqdAsyncNotify,
        boolean sqDraining,
        int maxRdAtomic,
        int maxDestRdAtomic,
        int minRnrTimer,
        int portNum,
        int timeout,
        int retryCnt,
        int rnrRetry,
        @Nullable AltPath altPath) {
    /** Creates attributes without an alternate path. */
    public QpAttr(
            int qpState,
            int curQpState,
            int pathMtu,
            int pathMigState,
            int qkey,
            int rqPsn,
            int sqPsn,
            int destQpNum,
            int qpAccessFlags,
            QpCap cap,
            @Nullable AhAttr ahAttr,
            int pkeyIndex,
            boolean enSqdAsyncNotify,
            boolean sqDraining,
            int maxRdAtomic,
            int maxDestRdAtomic,
            int minRnrTimer,
            int portNum,
            int timeout,
            int retryCnt,
            int rnrRetry) {
        this(
                qpState,
                curQpState,
                pathMtu,
                pathMigState,
                qkey,
                rqPsn,
                sqPsn,
                destQpNum,
                qpAccessFlags,
                cap,
                ahAttr,
                pkeyIndex,
                enSqdAsyncNotify,
                sqDraining,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                portNum,
                timeout,
                retryCnt,
                rnrRetry,
                null);
    }

    /** Returns a copy with another path. */
    public QpAttr withAhAttr(AhAttr path) {
        return new QpAttr(
                qpState,
                curQpState,
                pathMtu,
                pathMigState,
                qkey,
                rqPsn,
                sqPsn,
                destQpNum,
                qpAccessFlags,
                cap,
                path,
                pkeyIndex,
                enSqdAsyncNotify,
                sqDraining,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                portNum,
                timeout,
                retryCnt,
                rnrRetry,
                altPath);
    }

    /**
     * Returns a copy with another state of path migration.
     *
     * @param alternate the alternate path, or null for none
     */
    public QpAttr withMigration(int state, @Nullable AltPath alternate) {
        return new QpAttr(
                qpState,
                curQpState,
                pathMtu,
                state,
                qkey,
                rqPsn,
                sqPsn,
                destQpNum,
                qpAccessFlags,
                cap,
                ahAttr,
                pkeyIndex,
                enSqdAsyncNotify,
                sqDraining,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                portNum,
                timeout,
                retryCnt,
                rnrRetry,
                alternate);
    }

    /** Returns a copy whose path is the alternate one. */
    public QpAttr migratedTo(AltPath alternate) {
        return new QpAttr(
                qpState,
                curQpState,
                pathMtu,
                pathMigState,
                qkey,
                rqPsn,
                sqPsn,
                destQpNum,
                qpAccessFlags,
                cap,
                alternate.ahAttr(),
                alternate.pkeyIndex(),
                enSqdAsyncNotify,
                sqDraining,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                alternate.portNum(),
                alternate.timeout(),
                retryCnt,
                rnrRetry,
                altPath);
    }
}
