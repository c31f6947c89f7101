package io.rdma.internal.soft;

import static io.rdma.internal.ffi.Ibv.*;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.ffi.QpCap;
import io.rdma.verbs.Errno;
import io.rdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Which attributes a transition needs and allows by transport, {@code ibv_modify_qp(3)}; and the merge of what was set. */
final class QpTransitions {
    static final QpAttr INITIAL = new QpAttr(
            QPS_RESET,
            QPS_RESET,
            MTU_1024,
            MIG_MIGRATED,
            0,
            0,
            0,
            0,
            0,
            new QpCap(0, 0, 0, 0, 0),
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
            0);

    private static final int MAX_RD_ATOMIC = 128;
    private static final int PARTITION = QP_PKEY_INDEX | QP_PORT;
    private static final int PATH = QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN;
    private static final int RC_ANSWERS = QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER;
    private static final int RC_RETRIES = QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC;
    private static final int MIGRATION = QP_ALT_PATH | QP_PATH_MIG_STATE;
    private static final String[] NAMES = {
        "STATE",
        "CUR_STATE",
        "EN_SQD_ASYNC_NOTIFY",
        "ACCESS_FLAGS",
        "PKEY_INDEX",
        "PORT",
        "QKEY",
        "AV",
        "PATH_MTU",
        "TIMEOUT",
        "RETRY_CNT",
        "RNR_RETRY",
        "RQ_PSN",
        "MAX_QP_RD_ATOMIC",
        "ALT_PATH",
        "MIN_RNR_TIMER",
        "SQ_PSN",
        "MAX_DEST_RD_ATOMIC",
        "PATH_MIG_STATE",
        "CAP",
        "DEST_QPN"
    };

    private QpTransitions() {}

    /** Checks a transition. @return the new state @throws VerbsException EINVAL that names the attribute */
    static int check(int transport, int from, QpAttr attr, int mask) {
        int to = (mask & QP_STATE) != 0 ? attr.qpState() : from;
        if (to == QPS_RESET || to == QPS_ERR) {
            return to;
        }
        boolean rc = transport == Opcode.RC;
        boolean ud = transport == Opcode.UD;
        int initial = PARTITION | (ud ? QP_QKEY : QP_ACCESS_FLAGS);
        // What may change while it runs.
        int change = ud ? QP_QKEY : QP_ACCESS_FLAGS | MIGRATION | (rc ? QP_MIN_RNR_TIMER : 0);
        int required;
        int optional;
        if ((from == QPS_RESET || from == QPS_INIT) && to == QPS_INIT) {
            required = from == QPS_RESET ? initial : 0;
            optional = initial;
        } else if (from == QPS_INIT && to == QPS_RTR) {
            required = ud ? 0 : PATH | (rc ? RC_ANSWERS : 0);
            optional = QP_PKEY_INDEX | (ud ? QP_QKEY : QP_ACCESS_FLAGS | QP_ALT_PATH);
        } else if (from == QPS_RTR && to == QPS_RTS) {
            required = QP_SQ_PSN | (rc ? RC_RETRIES : 0);
            optional = change | QP_CUR_STATE;
        } else if ((from == QPS_RTS || from == QPS_SQD || from == QPS_SQE && !rc) && to == QPS_RTS) {
            required = 0;
            optional = change | QP_CUR_STATE;
        } else if (from == QPS_RTS && to == QPS_SQD) {
            required = 0;
            optional = QP_EN_SQD_ASYNC_NOTIFY;
        } else if (from == QPS_SQD && to == QPS_SQD) {
            required = 0;
            optional = change | QP_PKEY_INDEX | (ud ? 0 : QP_AV) | (rc ? QP_PORT | RC_RETRIES | RC_ANSWERS : 0);
        } else {
            throw invalid("from state " + from + " to " + to + " is no transition");
        }
        int given = mask & ~QP_STATE;
        if ((required & ~given) != 0) {
            throw invalid("attribute IBV_QP_" + name(required & ~given) + " is missing");
        }
        if ((given & ~(required | optional)) != 0) {
            throw invalid("attribute IBV_QP_" + name(given & ~(required | optional)) + " is not allowed here");
        }
        return to;
    }

    /** Carries a transition out. Device thread. */
    static void apply(SoftQp qp, QpAttr attr, int mask) {
        int from = qp.state;
        int to = check(qp.transport, from, attr, mask);
        QpAttr merged = merge(qp.attr, attr, mask, to);
        if ((mask & QP_PORT) != 0 && merged.portNum() != 1 || (mask & QP_PKEY_INDEX) != 0 && merged.pkeyIndex() != 0) {
            throw invalid("there is port 1 and partition index 0 only");
        }
        if ((mask & (QP_MAX_QP_RD_ATOMIC | QP_MAX_DEST_RD_ATOMIC)) != 0
                && (merged.maxRdAtomic() > MAX_RD_ATOMIC || merged.maxDestRdAtomic() > MAX_RD_ATOMIC)) {
            throw invalid("at most " + MAX_RD_ATOMIC + " reads and atomics");
        }
        if (to == QPS_RTR && from == QPS_INIT && qp.transport != Opcode.UD) {
            connect(qp, merged);
        }
        qp.attr = merged;
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
            qp.state = to;
            qp.device.runnable(qp);
        }
    }

    private static void connect(SoftQp qp, QpAttr attr) {
        AhAttr path = attr.ahAttr();
        if (attr.pathMtu() < MTU_256 || attr.pathMtu() > MTU_4096) {
            throw invalid("path MTU code " + attr.pathMtu() + " is not one of 1 to 5");
        }
        InetSocketAddress peer = target("ibv_modify_qp", path);
        qp.peer = peer.equals(qp.device.local()) ? null : peer;
        qp.mtu = Packet.mtuBytes(attr.pathMtu());
    }

    /** Where a path leads. */
    static InetSocketAddress target(String call, @Nullable AhAttr path) {
        if (path == null || !path.isGlobal() || path.sgidIndex() != 0) {
            throw new VerbsException(call, Errno.EINVAL, "RoCE needs a global route, from GID index 0");
        }
        return SoftAddress.of(path.dgid());
    }

    static VerbsException invalid(String why) {
        return new VerbsException("ibv_modify_qp", Errno.EINVAL, "The transition is refused: " + why);
    }

    private static String name(int bits) {
        return NAMES[Integer.numberOfTrailingZeros(bits)];
    }

    static QpAttr merge(QpAttr old, QpAttr v, int mask, int state) {
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
                false,
                has(mask, QP_MAX_QP_RD_ATOMIC) ? v.maxRdAtomic() : old.maxRdAtomic(),
                has(mask, QP_MAX_DEST_RD_ATOMIC) ? v.maxDestRdAtomic() : old.maxDestRdAtomic(),
                has(mask, QP_MIN_RNR_TIMER) ? v.minRnrTimer() & 31 : old.minRnrTimer(),
                has(mask, QP_PORT) ? v.portNum() : old.portNum(),
                has(mask, QP_TIMEOUT) ? v.timeout() & 31 : old.timeout(),
                has(mask, QP_RETRY_CNT) ? v.retryCnt() & 7 : old.retryCnt(),
                has(mask, QP_RNR_RETRY) ? v.rnrRetry() & 7 : old.rnrRetry());
    }

    private static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
