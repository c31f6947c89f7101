package io.rdma.verbs;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.ffi.QpCap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes for {@link QueuePair#modify}, {@code ibv_modify_qp(3)}: what was set is in the mask. A builder for one
 * thread; set, then modify. Names are C's.
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

    private QueuePairAttributes() {}

    /**
     * A transition.
     *
     * @param state to move to
     * @return attributes with the state set
     */
    public static QueuePairAttributes toState(QueuePairState state) {
        QueuePairAttributes attributes = change();
        attributes.state = state.code();
        return attributes.has(Ibv.QP_STATE);
    }

    /**
     * A change without a transition.
     *
     * @return attributes with nothing set
     */
    public static QueuePairAttributes change() {
        return new QueuePairAttributes();
    }

    /** What the connection manager says. */
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
        return made;
    }

    private QueuePairAttributes has(int bit) {
        mask |= bit;
        return this;
    }

    /**
     * What the peer may do through this queue pair.
     *
     * @param flags remote rights
     * @return this
     */
    public QueuePairAttributes access(Set<AccessFlag> flags) {
        accessFlags = AccessFlag.mask(flags.toArray(new AccessFlag[0]));
        return has(Ibv.QP_ACCESS_FLAGS);
    }

    /**
     * Partition.
     *
     * @param index in the table
     * @return this
     */
    public QueuePairAttributes pkeyIndex(int index) {
        pkeyIndex = index;
        return has(Ibv.QP_PKEY_INDEX);
    }

    /**
     * Port.
     *
     * @param number from 1
     * @return this
     */
    public QueuePairAttributes port(int number) {
        port = number;
        return has(Ibv.QP_PORT);
    }

    /**
     * Path to the peer with a global route, mandatory on RoCE.
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
     * Path to the peer within one InfiniBand subnet, by LID.
     *
     * @param localPort from 1
     * @param dlid LID of the peer
     * @return this
     */
    public QueuePairAttributes path(int localPort, int dlid) {
        return path(AddressHandleAttributes.of(dlid, localPort));
    }

    /**
     * Path to the peer in all its details.
     *
     * @param attributes as for an address handle
     * @return this
     */
    public QueuePairAttributes path(AddressHandleAttributes attributes) {
        path = attributes;
        return has(Ibv.QP_AV);
    }

    /**
     * Key that datagrams to this queue pair must carry, and that its own carry where a destination's has the highest
     * bit set; UD only.
     *
     * @param key 32 bits
     * @return this
     */
    public QueuePairAttributes qkey(int key) {
        qkey = key;
        return has(Ibv.QP_QKEY);
    }

    /**
     * Service level of the path; set it after the path.
     *
     * @param sl 0 to 15; on Ethernet it becomes the priority
     * @return this
     * @throws IllegalStateException if there is no path yet
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
     * Path MTU.
     *
     * @param mtu what both sides can
     * @return this
     */
    public QueuePairAttributes pathMtu(Mtu mtu) {
        pathMtu = mtu.code();
        return has(Ibv.QP_PATH_MTU);
    }

    /**
     * Queue pair of the peer.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairAttributes destQpNum(int number) {
        destQpNum = number;
        return has(Ibv.QP_DEST_QPN);
    }

    /**
     * First packet sequence number of the peer.
     *
     * @param psn 24 bits
     * @return this
     */
    public QueuePairAttributes rqPsn(int psn) {
        rqPsn = psn;
        return has(Ibv.QP_RQ_PSN);
    }

    /**
     * First own packet sequence number.
     *
     * @param psn 24 bits
     * @return this
     */
    public QueuePairAttributes sqPsn(int psn) {
        sqPsn = psn;
        return has(Ibv.QP_SQ_PSN);
    }

    /**
     * Outgoing reads and atomics at once.
     *
     * @param number what the peer can answer
     * @return this
     */
    public QueuePairAttributes maxRdAtomic(int number) {
        maxRdAtomic = number;
        return has(Ibv.QP_MAX_QP_RD_ATOMIC);
    }

    /**
     * Incoming reads and atomics at once.
     *
     * @param number up to the device's limit
     * @return this
     */
    public QueuePairAttributes maxDestRdAtomic(int number) {
        maxDestRdAtomic = number;
        return has(Ibv.QP_MAX_DEST_RD_ATOMIC);
    }

    /**
     * RNR timer that this side announces.
     *
     * @param code 0 to 31, a table in {@code ibv_modify_qp(3)}: 0 is 655 ms, 1 is 0.01 ms, 14 is 1.28 ms
     * @return this
     */
    public QueuePairAttributes minRnrTimer(int code) {
        minRnrTimer = code;
        return has(Ibv.QP_MIN_RNR_TIMER);
    }

    /**
     * Acknowledge time-out.
     *
     * @param exponent 0 to 31: 4.096 us times 2 to the power of it, 0 is infinite
     * @return this
     */
    public QueuePairAttributes timeout(int exponent) {
        timeout = exponent;
        return has(Ibv.QP_TIMEOUT);
    }

    /**
     * Retries after a time-out.
     *
     * @param count 0 to 7
     * @return this
     */
    public QueuePairAttributes retryCnt(int count) {
        retryCnt = count;
        return has(Ibv.QP_RETRY_CNT);
    }

    /**
     * Retries while the peer has no receive posted.
     *
     * @param count 0 to 6, 7 is without end
     * @return this
     */
    public QueuePairAttributes rnrRetry(int count) {
        rnrRetry = count;
        return has(Ibv.QP_RNR_RETRY);
    }

    /**
     * The state that the queue pair is assumed to be in, {@code IBV_QP_CUR_STATE}: the change fails if it is in
     * another.
     *
     * @param state RTR, RTS, SQD or SQE
     * @return this
     */
    public QueuePairAttributes curState(QueuePairState state) {
        curState = state.code();
        return has(Ibv.QP_CUR_STATE);
    }

    /**
     * Whether the event {@link AsyncEventType#SQ_DRAINED} is wanted when the send queue has drained,
     * {@code IBV_QP_EN_SQD_ASYNC_NOTIFY}; for the way from RTS to SQD.
     *
     * @param wanted true if so
     * @return this
     */
    public QueuePairAttributes enSqdAsyncNotify(boolean wanted) {
        enSqdAsyncNotify = wanted;
        return has(Ibv.QP_EN_SQD_ASYNC_NOTIFY);
    }

    /** The state afterwards. */
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
                Ibv.MIG_MIGRATED,
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
                rnrRetry);
    }
}
