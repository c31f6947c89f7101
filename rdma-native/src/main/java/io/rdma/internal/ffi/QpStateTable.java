package io.rdma.internal.ffi;

import static io.rdma.internal.ibv.Ibv.*;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a queue pair, with the attributes that each requires and permits, by transport:
 * {@code ibv_modify_qp(3)}, IB specification volume 1, 11.2.5.2 (table 96), and Linux' {@code ib_modify_qp_is_ok}.
 */
public final class QpStateTable {
    private static final int WHERE = QP_PKEY_INDEX | QP_PORT;
    private static final int PATH = QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN;
    private static final int ANSWERS = QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER;
    private static final int RETRIES = QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC;
    private static final int MIGRATION = QP_ALT_PATH | QP_PATH_MIG_STATE;
    private static final String[] STATES = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    private static final String[] ATTRIBUTES = {
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

    private QpStateTable() {}

    /** The attributes that a transition requires, and those that it also permits. */
    private record Rule(int required, int optional) {}

    /**
     * Checks a transition.
     *
     * @param type {@code IBV_QPT_*}
     * @param from present state
     * @param to state after the transition
     * @param mask {@code IBV_QP_*} of the attributes that are set
     * @return null if the transition is valid, else the problem: the attributes that are missing and those that are
     *     not permitted
     */
    public static @Nullable String problem(int type, int from, int to, int mask) {
        String transition = state(from) + " to " + state(to) + " of " + type(type);
        Rule rule = rule(type, from, to);
        if (rule == null) {
            return "from " + transition + " is not valid";
        }
        int given = mask & ~QP_STATE;
        int missing = rule.required & ~given;
        int tooMuch = given & ~(rule.required | rule.optional);
        if (missing == 0 && tooMuch == 0) {
            return null;
        }
        StringJoiner text = new StringJoiner(", and ", "from " + transition + " ", "");
        if (missing != 0) {
            text.add(names(missing) + " must be set");
        }
        if (tooMuch != 0) {
            text.add(names(tooMuch) + " must not be set");
        }
        return text.toString();
    }

    private static @Nullable Rule rule(int type, int from, int to) {
        boolean ud = type == QPT_UD;
        boolean asks = type == QPT_RC || type == QPT_XRC_SEND; // reliable initiator, so it retries
        boolean answers = type == QPT_RC || type == QPT_XRC_RECV;
        int rights = ud ? QP_QKEY : QP_ACCESS_FLAGS;
        // The attributes that may change while the queue pair runs.
        int change = ud ? QP_QKEY : QP_ACCESS_FLAGS | MIGRATION | (answers ? QP_MIN_RNR_TIMER : 0);
        if (to == QPS_RESET || to == QPS_ERR && from != QPS_RESET) {
            return new Rule(0, 0);
        }
        return switch (from * 8 + to) {
            case QPS_RESET * 8 + QPS_INIT -> new Rule(WHERE | rights, 0);
            case QPS_INIT * 8 + QPS_INIT -> new Rule(0, WHERE | rights);
            case QPS_INIT * 8 + QPS_RTR ->
                new Rule(ud ? 0 : PATH | (answers ? ANSWERS : 0), QP_PKEY_INDEX | rights | (ud ? 0 : QP_ALT_PATH));
            case QPS_RTR * 8 + QPS_RTS ->
                new Rule(QP_SQ_PSN | (asks || answers ? QP_TIMEOUT : 0) | (asks ? RETRIES : 0), QP_CUR_STATE | change);
            case QPS_RTS * 8 + QPS_RTS, QPS_SQD * 8 + QPS_RTS -> new Rule(0, QP_CUR_STATE | change);
            case QPS_SQE * 8 + QPS_RTS -> asks || answers ? null : new Rule(0, QP_CUR_STATE | rights);
            case QPS_RTS * 8 + QPS_SQD -> new Rule(0, QP_EN_SQD_ASYNC_NOTIFY);
            case QPS_SQD * 8 + QPS_SQD ->
                new Rule(
                        0,
                        change
                                | QP_PKEY_INDEX
                                | (ud ? 0 : QP_AV)
                                | (asks || answers ? QP_PORT | QP_TIMEOUT : 0)
                                | (asks ? RETRIES : 0)
                                | (answers ? QP_MAX_DEST_RD_ATOMIC : 0));
            default -> null;
        };
    }

    private static String names(int bits) {
        StringJoiner names = new StringJoiner(" and ");
        for (int left = bits; left != 0; left &= left - 1) {
            int bit = Integer.numberOfTrailingZeros(left);
            names.add("IBV_QP_" + (bit < ATTRIBUTES.length ? ATTRIBUTES[bit] : bit));
        }
        return names.toString();
    }

    private static String state(int state) {
        return state >= 0 && state < STATES.length ? STATES[state] : "state " + state;
    }

    private static String type(int type) {
        return switch (type) {
            case QPT_RC -> "RC";
            case QPT_UC -> "UC";
            case QPT_UD -> "UD";
            case QPT_XRC_SEND -> "XRC_SEND";
            case QPT_XRC_RECV -> "XRC_RECV";
            default -> "type " + type;
        };
    }
}
