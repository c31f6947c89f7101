package io.rdma.samples.pingpong;

import io.rdma.types.AccessFlag;
import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import java.util.EnumSet;

/** The path of a connected queue pair, with retries if the transport is reliable. */
final class ConnectedPath implements PingPongPath {
    private final PingPongOptions options;
    private final QueuePair pair;

    ConnectedPath(PingPongOptions options, QueuePair pair) {
        this.options = options;
        this.pair = pair;
    }

    private boolean isReliable() {
        return pair.type() == QueuePairType.RC;
    }

    @Override
    public void init() {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(options.ibPort)
                .access(EnumSet.noneOf(AccessFlag.class)));
    }

    @Override
    public void up(GidTableEntry gid, PingPongAddress local, PingPongAddress remote) {
        QueuePairAttributes toRtr = QueuePairAttributes.toState(QueuePairState.RTR)
                .pathMtu(options.pathMtu())
                .destQpNum(remote.qpNumber())
                .rqPsn(remote.psn())
                .path(remote.path(options, gid));
        QueuePairAttributes toRts =
                QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(local.psn());
        if (isReliable()) {
            toRtr.maxDestRdAtomic(1).minRnrTimer(12);
            toRts.timeout(14).retryCnt(7).rnrRetry(7).maxRdAtomic(1);
        }
        pair.modify(toRtr);
        pair.modify(toRts);
    }
}
