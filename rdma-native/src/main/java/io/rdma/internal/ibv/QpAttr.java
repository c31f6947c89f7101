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
    /** Returns a copy with another path. */
    public QpAttr withAhAttr(AhAttr path) {
        return withPaths(pathMigState, path, pkeyIndex, portNum, timeout, altPath);
    }

    /**
     * Returns a copy with another state of path migration.
     *
     * @param alternate the alternate path, or null for none
     */
    public QpAttr withMigration(int state, @Nullable AltPath alternate) {
        return withPaths(state, ahAttr, pkeyIndex, portNum, timeout, alternate);
    }

    /** Returns a copy whose path is the alternate one. */
    public QpAttr migratedTo(AltPath alternate) {
        return withPaths(
                pathMigState,
                alternate.ahAttr(),
                alternate.pkeyIndex(),
                alternate.portNum(),
                alternate.timeout(),
                altPath);
    }

    private QpAttr withPaths(
            int state, @Nullable AhAttr path, int partition, int port, int timer, @Nullable AltPath alternate) {
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
                path,
                partition,
                enSqdAsyncNotify,
                sqDraining,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                port,
                timer,
                retryCnt,
                rnrRetry,
                alternate);
    }
}
