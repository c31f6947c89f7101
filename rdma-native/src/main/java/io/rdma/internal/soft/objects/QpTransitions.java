package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ffi.QpStateTable;
import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.util.Objects;

/** State transitions of a queue pair, {@code ibv_modify_qp(3)}, and the merge of its attributes. */
public final class QpTransitions {
    /** Returns the attributes of a new queue pair. */
    static QpAttr initial(QpCap cap) {
        return new QpAttr(
                QPS_RESET,
                QPS_RESET,
                MTU_1024,
                MIG_MIGRATED,
                0,
                0,
                0,
                0,
                0,
                cap,
                null,
                0,
                false,
                false,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                null);
    }

    public static final QpAttr INITIAL = initial(new QpCap(0, 0, 0, 0, 0));

    private QpTransitions() {}

    /**
     * Checks a transition.
     *
     * @return the new state
     * @throws VerbsException EINVAL, naming the attribute, if the transition is not allowed
     */
    static int check(SoftQp qp, QpAttr attr, int mask) {
        int to = (mask & QP_STATE) != 0 ? attr.qpState() : qp.state;
        String problem = QpStateTable.problem(qp.type(), qp.state, to, mask);
        if (problem != null) {
            throw invalid(problem);
        }
        if (qp.state == QPS_SQD && (to == QPS_SQD || to == QPS_RTS) && qp.requester.draining()) {
            throw invalid("the send queue is still draining: wait for the event SQ_DRAINED");
        }
        return to;
    }

    /** Checks and performs a transition. Device thread. */
    public static void apply(SoftQp qp, QpAttr attr, int mask) {
        int from = qp.state;
        int to = check(qp, attr, mask);
        QpAttr merged = merge(qp.attr, attr, mask, to);
        int ports = qp.device.personality().port();
        if ((mask & QP_PORT) != 0 && (merged.portNum() < 1 || merged.portNum() > ports)
                || (mask & QP_PKEY_INDEX) != 0 && merged.pkeyIndex() != 0) {
            throw invalid("the device has the ports 1 to " + ports + " and partition index 0 only");
        }
        qp.migration.check(attr, mask);
        int most = qp.device.personality().limits().rdAtomic();
        if ((mask & (QP_MAX_QP_RD_ATOMIC | QP_MAX_DEST_RD_ATOMIC)) != 0
                && (merged.maxRdAtomic() > most || merged.maxDestRdAtomic() > most)) {
            throw invalid("the device supports at most " + most + " reads and atomics in flight");
        }
        qp.attr = (mask & QP_AV) != 0 && qp.transport != Opcode.UD ? connected(qp, merged) : merged;
        if (to == QPS_RESET) {
            qp.reset();
        } else if (to == QPS_ERR) {
            qp.error();
        } else {
            if (to == QPS_RTR) {
                qp.responder.reset(merged.rqPsn());
            } else if (to == QPS_RTS && from == QPS_RTR) {
                qp.requester.reset(merged.sqPsn());
            }
            if (to == QPS_SQD && from == QPS_RTS) {
                qp.requester.drain((mask & QP_EN_SQD_ASYNC_NOTIFY) != 0 && attr.enSqdAsyncNotify());
            }
            qp.state = to;
            qp.migration.apply(attr, mask);
            qp.device.runnable(qp);
        }
    }

    /** Connects a queue pair. Returns its attributes, with the path that its packets really have. */
    private static QpAttr connected(SoftQp qp, QpAttr attr) {
        AhAttr path = attr.ahAttr();
        if (attr.pathMtu() < MTU_256 || attr.pathMtu() > MTU_4096) {
            throw invalid("the code of the path MTU must be from 1 to 5: " + attr.pathMtu());
        }
        InetSocketAddress peer = SoftPath.connected(qp.device, path);
        if (Objects.requireNonNull(path).portNum() != attr.portNum()) { // as ib_uverbs
            throw invalid("the path starts at port " + path.portNum() + ", the queue pair has port " + attr.portNum());
        }
        int via = path.sgidIndex();
        qp.takePath(via, peer, SoftPath.of(path, peer, qp.device.hasHeaders()));
        if (via == 0) {
            qp.device.connecting(peer);
        }
        qp.mtu = Packet.mtuBytes(attr.pathMtu());
        return attr.withAhAttr(SoftPath.kept(path, qp.path));
    }

    static VerbsException invalid(String why) {
        return new VerbsException("ibv_modify_qp", Errno.EINVAL, "The transition is refused: " + why);
    }

    public static QpAttr merge(QpAttr old, QpAttr v, int mask, int state) {
        return merge(old, v, mask, state, false);
    }

    /** Returns the attributes for a query. Device thread. */
    public static QpAttr view(SoftQp qp) {
        boolean draining = qp.state == QPS_SQD && qp.requester.draining();
        return qp.migration.view(merge(qp.attr, qp.attr, 0, qp.state, draining));
    }

    private static QpAttr merge(QpAttr old, QpAttr v, int mask, int state, boolean draining) {
        return new QpAttr(
                state,
                state,
                has(mask, QP_PATH_MTU) ? v.pathMtu() : old.pathMtu(),
                old.pathMigState(),
                has(mask, QP_QKEY) ? v.qkey() : old.qkey(),
                has(mask, QP_RQ_PSN) ? v.rqPsn() & Psn.MASK : old.rqPsn(),
                has(mask, QP_SQ_PSN) ? v.sqPsn() & Psn.MASK : old.sqPsn(),
                has(mask, QP_DEST_QPN) ? v.destQpNum() : old.destQpNum(),
                has(mask, QP_ACCESS_FLAGS) ? v.qpAccessFlags() : old.qpAccessFlags(),
                old.cap(),
                has(mask, QP_AV) ? v.ahAttr() : old.ahAttr(),
                has(mask, QP_PKEY_INDEX) ? v.pkeyIndex() : old.pkeyIndex(),
                false,
                draining,
                has(mask, QP_MAX_QP_RD_ATOMIC) ? v.maxRdAtomic() : old.maxRdAtomic(),
                has(mask, QP_MAX_DEST_RD_ATOMIC) ? v.maxDestRdAtomic() : old.maxDestRdAtomic(),
                has(mask, QP_MIN_RNR_TIMER) ? v.minRnrTimer() & 31 : old.minRnrTimer(),
                has(mask, QP_PORT) ? v.portNum() : old.portNum(),
                has(mask, QP_TIMEOUT) ? v.timeout() & 31 : old.timeout(),
                has(mask, QP_RETRY_CNT) ? v.retryCnt() & 7 : old.retryCnt(),
                has(mask, QP_RNR_RETRY) ? v.rnrRetry() & 7 : old.rnrRetry(),
                null);
    }

    private static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
