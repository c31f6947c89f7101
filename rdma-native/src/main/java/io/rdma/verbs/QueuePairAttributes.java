package io.rdma.verbs;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.types.AccessFlag;
import io.rdma.types.AsyncEventType;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import io.rdma.types.PathMigrationState;
import io.rdma.types.QueuePairState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes for {@link QueuePair#modify}, {@code ibv_modify_qp(3)}. The mask names exactly the attributes that were
 * set. A builder for one thread: set the attributes, then modify. Names are those of C.
 */
public final class QueuePairAttributes {
    private static final QpCap NO_CAP = new QpCap(0, 0, 0, 0, 0);

    private int mask;
    private int state;
    private int accessFlags;
    private int pkeyIndex;
    private int port;
    private @Nullable AddressHandleAttributes path;
    private int pathMtu;
    private int destQpNum;
    private int rqPsn;
    private int sqPsn;
    private int maxRdAtomic;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int timeout;
    private int retryCnt;
    private int rnrRetry;
    private int qkey;
    private int curState;
    private boolean enSqdAsyncNotify;
    private @Nullable AlternatePath alternatePath;
    private int pathMigState = Ibv.MIG_MIGRATED;

    private QueuePairAttributes() {}

    /**
     * Creates attributes for a transition.
     *
     * @param state target state
     * @return attributes with the state set
     */
    public static QueuePairAttributes toState(QueuePairState state) {
        QueuePairAttributes attributes = change();
        attributes.state = state.code();
        return attributes.has(Ibv.QP_STATE);
    }

    /**
     * Creates attributes for a change without a transition.
     *
     * @return attributes with nothing set
     */
    public static QueuePairAttributes change() {
        return new QueuePairAttributes();
    }

    /** Converts attributes that the connection manager computed. */
    static QueuePairAttributes of(QpAttr given, int mask) {
        QueuePairAttributes made = change();
        made.mask = mask;
        made.state = given.qpState();
        made.accessFlags = given.qpAccessFlags();
        made.pkeyIndex = given.pkeyIndex();
        made.port = given.portNum();
        AhAttr ah = given.ahAttr();
        made.path = ah == null ? null : AddressHandleAttributes.of(ah);
        made.pathMtu = given.pathMtu();
        made.destQpNum = given.destQpNum();
        made.rqPsn = given.rqPsn();
        made.sqPsn = given.sqPsn();
        made.maxRdAtomic = given.maxRdAtomic();
        made.maxDestRdAtomic = given.maxDestRdAtomic();
        made.minRnrTimer = given.minRnrTimer();
        made.timeout = given.timeout();
        made.retryCnt = given.retryCnt();
        made.rnrRetry = given.rnrRetry();
        made.qkey = given.qkey();
        made.alternatePath = AlternatePath.of(given.altPath());
        made.pathMigState = given.pathMigState();
        return made;
    }

    private QueuePairAttributes has(int bit) {
        mask |= bit;
        return this;
    }

    /**
     * Sets the operations that the peer may perform through this queue pair.
     *
     * @param flags remote rights
     * @return this
     */
    public QueuePairAttributes access(Set<AccessFlag> flags) {
        accessFlags = AccessFlag.mask(flags.toArray(new AccessFlag[0]));
        return has(Ibv.QP_ACCESS_FLAGS);
    }

    /**
     * Sets the partition.
     *
     * @param index in the partition table
     * @return this
     */
    public QueuePairAttributes pkeyIndex(int index) {
        pkeyIndex = index;
        return has(Ibv.QP_PKEY_INDEX);
    }

    /**
     * Sets the port.
     *
     * @param number from 1
     * @return this
     */
    public QueuePairAttributes port(int number) {
        port = number;
        return has(Ibv.QP_PORT);
    }

    /**
     * Sets the path to the peer, with a global route, which is mandatory on RoCE.
     *
     * @param localPort from 1
     * @param sgidIndex index of the local GID
     * @param peer GID of the peer
     * @param dlid LID of the peer, 0 on Ethernet
     * @return this
     */
    public QueuePairAttributes path(int localPort, int sgidIndex, Gid peer, int dlid) {
        return path(AddressHandleAttributes.of(GlobalRoute.to(peer, sgidIndex), localPort)
                .withDlid(dlid));
    }

    /**
     * Sets the path to the peer by LID, within one InfiniBand subnet.
     *
     * @param localPort from 1
     * @param dlid LID of the peer
     * @return this
     */
    public QueuePairAttributes path(int localPort, int dlid) {
        return path(AddressHandleAttributes.of(dlid, localPort));
    }

    /**
     * Sets the path to the peer in full detail.
     *
     * @param attributes as for an address handle
     * @return this
     */
    public QueuePairAttributes path(AddressHandleAttributes attributes) {
        path = attributes;
        return has(Ibv.QP_AV);
    }

    /**
     * Returns the path to the peer.
     *
     * @return null if it is not set
     */
    public @Nullable AddressHandleAttributes path() {
        return path;
    }

    /**
     * Sets the QKey that a datagram to this queue pair must carry. The queue pair's own datagrams carry it if the QKey
     * of their destination has the highest bit set. UD only.
     *
     * @param key 32 bits
     * @return this
     */
    public QueuePairAttributes qkey(int key) {
        qkey = key;
        return has(Ibv.QP_QKEY);
    }

    /**
     * Sets the service level of the path. Set the path first.
     *
     * @param sl 0 to 15; on Ethernet it becomes the priority
     * @return this
     * @throws IllegalStateException if the path is not set
     */
    public QueuePairAttributes serviceLevel(int sl) {
        AddressHandleAttributes p = path;
        if (p == null) {
            throw new IllegalStateException("set the path before its service level");
        }
        path = p.withServiceLevel(sl);
        return this;
    }

    /**
     * Sets the path MTU.
     *
     * @param mtu an MTU that both sides support
     * @return this
     */
    public QueuePairAttributes pathMtu(Mtu mtu) {
        pathMtu = mtu.code();
        return has(Ibv.QP_PATH_MTU);
    }

    /**
     * Sets the number of the peer's queue pair.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairAttributes destQpNum(int number) {
        destQpNum = number;
        return has(Ibv.QP_DEST_QPN);
    }

    /**
     * Sets the first packet sequence number of the peer.
     *
     * @param psn 24 bits
     * @return this
     */
    public QueuePairAttributes rqPsn(int psn) {
        rqPsn = psn;
        return has(Ibv.QP_RQ_PSN);
    }

    /**
     * Sets the first packet sequence number of this side.
     *
     * @param psn 24 bits
     * @return this
     */
    public QueuePairAttributes sqPsn(int psn) {
        sqPsn = psn;
        return has(Ibv.QP_SQ_PSN);
    }

    /**
     * Sets the largest number of outstanding reads and atomics as initiator.
     *
     * @param number as many as the peer can answer at once
     * @return this
     */
    public QueuePairAttributes maxRdAtomic(int number) {
        maxRdAtomic = number;
        return has(Ibv.QP_MAX_QP_RD_ATOMIC);
    }

    /**
     * Sets the largest number of outstanding reads and atomics as responder.
     *
     * @param number up to the device's limit
     * @return this
     */
    public QueuePairAttributes maxDestRdAtomic(int number) {
        maxDestRdAtomic = number;
        return has(Ibv.QP_MAX_DEST_RD_ATOMIC);
    }

    /**
     * Sets the RNR timer that this side announces.
     *
     * @param code 0 to 31, see the table in {@code ibv_modify_qp(3)}: 0 is 655 ms, 1 is 0.01 ms, 14 is 1.28 ms
     * @return this
     */
    public QueuePairAttributes minRnrTimer(int code) {
        minRnrTimer = code;
        return has(Ibv.QP_MIN_RNR_TIMER);
    }

    /**
     * Sets the acknowledge time-out.
     *
     * @param exponent 0 to 31: the time-out is 4.096 us times 2 to the power of this exponent; 0 is infinite
     * @return this
     */
    public QueuePairAttributes timeout(int exponent) {
        timeout = exponent;
        return has(Ibv.QP_TIMEOUT);
    }

    /**
     * Sets the number of retries after a time-out.
     *
     * @param count 0 to 7
     * @return this
     */
    public QueuePairAttributes retryCnt(int count) {
        retryCnt = count;
        return has(Ibv.QP_RETRY_CNT);
    }

    /**
     * Sets the number of retries while the peer has no receive posted.
     *
     * @param count 0 to 6; 7 is infinite
     * @return this
     */
    public QueuePairAttributes rnrRetry(int count) {
        rnrRetry = count;
        return has(Ibv.QP_RNR_RETRY);
    }

    /**
     * Sets the state that the queue pair is assumed to be in, {@code IBV_QP_CUR_STATE}. The change fails if it is in
     * another state.
     *
     * @param state RTR, RTS, SQD or SQE
     * @return this
     */
    public QueuePairAttributes curState(QueuePairState state) {
        curState = state.code();
        return has(Ibv.QP_CUR_STATE);
    }

    /**
     * Sets whether the device reports {@link AsyncEventType#SQ_DRAINED} once the send queue has drained,
     * {@code IBV_QP_EN_SQD_ASYNC_NOTIFY}. It applies to the transition from RTS to SQD.
     *
     * @param wanted true for the event
     * @return this
     */
    public QueuePairAttributes enSqdAsyncNotify(boolean wanted) {
        enSqdAsyncNotify = wanted;
        return has(Ibv.QP_EN_SQD_ASYNC_NOTIFY);
    }

    /**
     * Sets the alternate path, {@code IBV_QP_ALT_PATH}. Both sides set one, then {@link PathMigrationState#REARM}.
     *
     * @param alternate path to which the queue pair migrates when its path fails
     * @return this
     */
    public QueuePairAttributes alternatePath(AlternatePath alternate) {
        alternatePath = alternate;
        return has(Ibv.QP_ALT_PATH);
    }

    /**
     * Sets the state of path migration, {@code IBV_QP_PATH_MIG_STATE}.
     *
     * @param migrationState REARM to have the device arm the alternate path; MIGRATED to migrate now
     * @return this
     */
    public QueuePairAttributes pathMigState(PathMigrationState migrationState) {
        pathMigState = migrationState.code();
        return has(Ibv.QP_PATH_MIG_STATE);
    }

    /** Returns the state after the change. */
    int target(int from) {
        return (mask & Ibv.QP_STATE) != 0 ? state : from;
    }

    int mask() {
        return mask;
    }

    QpAttr values() {
        return new QpAttr(
                state,
                curState,
                pathMtu,
                pathMigState,
                qkey,
                rqPsn,
                sqPsn,
                destQpNum,
                accessFlags,
                NO_CAP,
                path == null ? null : path.toAttr(),
                pkeyIndex,
                enSqdAsyncNotify,
                false,
                maxRdAtomic,
                maxDestRdAtomic,
                minRnrTimer,
                port,
                timeout,
                retryCnt,
                rnrRetry,
                alternatePath == null ? null : alternatePath.toAttr());
    }
}
